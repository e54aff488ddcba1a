// A relying party by Debian's golang-github-duo-labs-webauthn-dev: the four addresses of FIDO's conformance tools, over TLS.
//
// It reads the same environment as parties/conformance.py, and also LISTEN, CERTIFICATE and KEY.
package main

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/duo-labs/webauthn/protocol"
	"github.com/duo-labs/webauthn/webauthn"
)

const (
	lifetime = time.Minute
	cookie   = "session"
)

type account struct {
	name   string
	handle []byte
	keys   []webauthn.Credential
}

func (a *account) WebAuthnID() []byte                         { return a.handle }
func (a *account) WebAuthnName() string                       { return a.name }
func (a *account) WebAuthnDisplayName() string                { return a.name }
func (a *account) WebAuthnIcon() string                       { return "" }
func (a *account) WebAuthnCredentials() []webauthn.Credential { return a.keys }

type session struct {
	purpose string
	name    string
	data    *webauthn.SessionData
	until   time.Time
}

type party struct {
	lock     sync.Mutex
	library  *webauthn.WebAuthn
	accounts map[string]*account
	sessions map[string]session
	secret   []byte
}

type asked struct {
	Username    string `json:"username"`
	Attestation string `json:"attestation"`
}

func random() []byte {
	made := make([]byte, 32)
	if _, err := rand.Read(made); err != nil {
		log.Fatal(err)
	}
	return made
}

func (p *party) account(name string) *account {
	if p.accounts[name] == nil {
		p.accounts[name] = &account{name: name, handle: random()}
	}
	return p.accounts[name]
}

func (p *party) begin(w http.ResponseWriter, purpose, name string, data *webauthn.SessionData) {
	id := base64.RawURLEncoding.EncodeToString(random())
	p.sessions[id] = session{purpose, name, data, time.Now().Add(lifetime)}
	http.SetCookie(w, &http.Cookie{Name: cookie, Value: id, Path: "/", Secure: true, HttpOnly: true})
}

// The session of a request, which ends with it.
func (p *party) session(r *http.Request, purpose string) (session, error) {
	sent, err := r.Cookie(cookie)
	if err != nil {
		return session{}, err
	}
	found := p.sessions[sent.Value]
	delete(p.sessions, sent.Value)
	if found.purpose != purpose || time.Now().After(found.until) {
		return session{}, errors.New("there is no such session")
	}
	return found, nil
}

func (p *party) note(what, name string) error {
	file, err := os.OpenFile(os.Getenv("ACCEPTED"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = fmt.Fprintf(file, "%s %s\n", what, name)
	return err
}

func (p *party) offerRegistration(w http.ResponseWriter, r *http.Request, body []byte) (interface{}, error) {
	var wanted asked
	if err := json.Unmarshal(body, &wanted); err != nil {
		return nil, err
	}
	preference := protocol.ConveyancePreference(wanted.Attestation)
	options, data, err := p.library.BeginRegistration(p.account(wanted.Username), webauthn.WithConveyancePreference(preference))
	if err != nil {
		return nil, err
	}
	p.begin(w, "create", wanted.Username, data)
	return options.Response, nil
}

func (p *party) register(w http.ResponseWriter, r *http.Request, body []byte) (interface{}, error) {
	began, err := p.session(r, "create")
	if err != nil {
		return nil, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBody(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	owner := p.account(began.name)
	key, err := p.library.CreateCredential(owner, *began.data, parsed)
	if err != nil {
		return nil, err
	}
	owner.keys = append(owner.keys, *key)
	return nil, p.note("key", began.name)
}

func (p *party) offerLogin(w http.ResponseWriter, r *http.Request, body []byte) (interface{}, error) {
	var wanted asked
	if err := json.Unmarshal(body, &wanted); err != nil {
		return nil, err
	}
	owner := p.accounts[wanted.Username]
	if owner == nil || len(owner.keys) == 0 {
		// For a name without keys, the answer names a key that does not exist, always the same one.
		made := sha256.Sum256(append(append([]byte{}, p.secret...), wanted.Username...))
		owner = &account{name: wanted.Username, handle: made[:], keys: []webauthn.Credential{{ID: made[:]}}}
	}
	options, data, err := p.library.BeginLogin(owner)
	if err != nil {
		return nil, err
	}
	p.begin(w, "get", wanted.Username, data)
	return options.Response, nil
}

func (p *party) login(w http.ResponseWriter, r *http.Request, body []byte) (interface{}, error) {
	began, err := p.session(r, "get")
	if err != nil {
		return nil, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBody(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	owner := p.accounts[began.name]
	if owner == nil {
		return nil, errors.New("unknown credential")
	}
	key, err := p.library.ValidateLogin(owner, *began.data, parsed)
	if err != nil {
		return nil, err
	}
	// The library only warns of a counter that has gone back.
	if key.Authenticator.CloneWarning {
		return nil, errors.New("the counter has gone back")
	}
	for index := range owner.keys {
		if bytes.Equal(owner.keys[index].ID, key.ID) {
			owner.keys[index] = *key
		}
	}
	return nil, p.note("login", began.name)
}

type route func(http.ResponseWriter, *http.Request, []byte) (interface{}, error)

// One request at a time. The library panics at some answers, and the lock must not outlive that.
func (p *party) alone(act func() (interface{}, error)) (interface{}, error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	return act()
}

func (p *party) serve(act route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<16))
		var answer interface{}
		if err == nil {
			answer, err = p.alone(func() (interface{}, error) { return act(w, r, body) })
		}
		members := map[string]interface{}{}
		if answer != nil {
			text, _ := json.Marshal(answer)
			_ = json.Unmarshal(text, &members)
		}
		members["status"], members["errorMessage"] = "ok", ""
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		if err != nil {
			members = map[string]interface{}{"status": "failed", "errorMessage": err.Error()}
			w.WriteHeader(http.StatusBadRequest)
		}
		_ = json.NewEncoder(w).Encode(members)
	}
}

func main() {
	library, err := webauthn.New(&webauthn.Config{
		RPDisplayName:          "Example",
		RPID:                   os.Getenv("RP_ID"),
		RPOrigin:               os.Getenv("ORIGINS"),
		AuthenticatorSelection: protocol.AuthenticatorSelection{UserVerification: protocol.VerificationRequired},
		Timeout:                int(lifetime / time.Millisecond),
	})
	if err != nil {
		log.Fatal(err)
	}
	p := &party{library: library, accounts: map[string]*account{}, sessions: map[string]session{}, secret: random()}
	http.HandleFunc("/attestation/options", p.serve(p.offerRegistration))
	http.HandleFunc("/attestation/result", p.serve(p.register))
	http.HandleFunc("/assertion/options", p.serve(p.offerLogin))
	http.HandleFunc("/assertion/result", p.serve(p.login))
	log.Fatal(http.ListenAndServeTLS(os.Getenv("LISTEN"), os.Getenv("CERTIFICATE"), os.Getenv("KEY"), nil))
}
