// A server to compare ours with: passkeys with Debian's golang-github-duo-labs-webauthn-dev, on SQLite, durable, over TLS, with a
// signed verdict.
//
// The addresses are those of FIDO's interface for server tests. Challenges are kept in memory, which costs least. The store is
// PASSKEYS_STORE; LISTEN, CERTIFICATE and KEY say where it listens, and VERDICT_KEY is where its public key goes.
package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
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
	_ "github.com/mattn/go-sqlite3"
)

var url = base64.RawURLEncoding

type account struct {
	name string
	keys []webauthn.Credential
}

func (a *account) WebAuthnID() []byte                         { return []byte(a.name) }
func (a *account) WebAuthnName() string                       { return a.name }
func (a *account) WebAuthnDisplayName() string                { return a.name }
func (a *account) WebAuthnIcon() string                       { return "" }
func (a *account) WebAuthnCredentials() []webauthn.Credential { return a.keys }

type pending struct {
	account *account
	data    *webauthn.SessionData
}

type server struct {
	library *webauthn.WebAuthn
	find    *sql.Stmt
	raise   *sql.Stmt
	signer  *ecdsa.PrivateKey
	lock    sync.Mutex
	waiting map[string]pending
	// SQLite has one writer at a time.
	writer sync.Mutex
}

type descriptor struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

type options struct {
	Status           string       `json:"status"`
	Challenge        string       `json:"challenge"`
	Timeout          int          `json:"timeout"`
	RelyingParty     string       `json:"rpId"`
	AllowCredentials []descriptor `json:"allowCredentials"`
	UserVerification string       `json:"userVerification"`
}

func (s *server) offer(body []byte) (interface{}, error) {
	var asked struct {
		Username string `json:"username"`
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return nil, err
	}
	rows, err := s.find.Query(asked.Username)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	owner := &account{name: asked.Username}
	for rows.Next() {
		var id, key []byte
		var counter uint32
		if err := rows.Scan(&id, &key, &counter); err != nil {
			return nil, err
		}
		owner.keys = append(owner.keys, webauthn.Credential{
			ID: id, PublicKey: key, Authenticator: webauthn.Authenticator{SignCount: counter}})
	}
	_, data, err := s.library.BeginLogin(owner)
	if err != nil {
		return nil, err
	}
	answer := options{Status: "ok", Challenge: data.Challenge, Timeout: 120000, RelyingParty: "localhost",
		UserVerification: "required"}
	for _, key := range owner.keys {
		answer.AllowCredentials = append(answer.AllowCredentials, descriptor{"public-key", url.EncodeToString(key.ID)})
	}
	s.lock.Lock()
	s.waiting[data.Challenge] = pending{owner, data}
	s.lock.Unlock()
	return answer, nil
}

type success struct {
	Status  string `json:"status"`
	Verdict string `json:"verdict"`
}

func (s *server) verify(body []byte) (interface{}, error) {
	parsed, err := protocol.ParseCredentialRequestResponseBody(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	said := parsed.Response.CollectedClientData.Challenge
	s.lock.Lock()
	began, isKnown := s.waiting[said]
	delete(s.waiting, said)
	s.lock.Unlock()
	if !isKnown {
		return nil, errors.New("there is no such challenge")
	}
	key, err := s.library.ValidateLogin(began.account, *began.data, parsed)
	if err != nil {
		return nil, err
	}
	if key.Authenticator.CloneWarning {
		return nil, errors.New("the counter has gone back")
	}
	s.writer.Lock()
	changed, err := s.raise.Exec(key.Authenticator.SignCount, key.ID, key.Authenticator.SignCount)
	s.writer.Unlock()
	if err != nil {
		return nil, err
	}
	if count, _ := changed.RowsAffected(); count != 1 {
		return nil, errors.New("the counter has gone back")
	}
	verdict, err := s.sign(began.account.name, said)
	return success{"ok", verdict}, err
}

// A token as ours: account, operation, the hash of the challenge, times.
func (s *server) sign(name, challenge string) (string, error) {
	bytes, err := url.DecodeString(challenge)
	if err != nil {
		return "", err
	}
	hash := sha256.Sum256(bytes)
	now := time.Now().Unix()
	claims := fmt.Sprintf(`{"iss":"https://localhost","sub":%q,"op":"Auth","challenge":"%s","iat":%d,"exp":%d}`,
		name, url.EncodeToString(hash[:]), now, now+120)
	signed := url.EncodeToString([]byte(`{"alg":"ES256","typ":"JWT"}`)) + "." + url.EncodeToString([]byte(claims))
	digest := sha256.Sum256([]byte(signed))
	r, v, err := ecdsa.Sign(rand.Reader, s.signer, digest[:])
	if err != nil {
		return "", err
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	v.FillBytes(signature[32:])
	return signed + "." + url.EncodeToString(signature), nil
}

func serve(act func([]byte) (interface{}, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<16))
		var answer interface{}
		if err == nil {
			answer, err = act(body)
		}
		w.Header().Set("Content-Type", "application/json")
		if err != nil {
			answer = map[string]string{"status": "failed", "errorMessage": err.Error()}
			w.WriteHeader(http.StatusForbidden)
		}
		text, _ := json.Marshal(answer)
		_, _ = w.Write(text)
	}
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	library, err := webauthn.New(&webauthn.Config{
		RPDisplayName: "Bench", RPID: "localhost", RPOrigin: "https://localhost",
		AuthenticatorSelection: protocol.AuthenticatorSelection{UserVerification: protocol.VerificationRequired},
	})
	must(err)
	database, err := sql.Open("sqlite3", "file:"+os.Getenv("PASSKEYS_STORE")+"?_journal_mode=WAL&_synchronous=FULL&_busy_timeout=5000")
	must(err)
	find, err := database.Prepare("SELECT id, key, counter FROM credential WHERE username = ?")
	must(err)
	raise, err := database.Prepare("UPDATE credential SET counter = ? WHERE id = ? AND counter < ?")
	must(err)
	signer, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	der, err := x509.MarshalPKIXPublicKey(&signer.PublicKey)
	must(err)
	must(os.WriteFile(os.Getenv("VERDICT_KEY"), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), 0o600))
	s := &server{library: library, find: find, raise: raise, signer: signer, waiting: map[string]pending{}}
	http.HandleFunc("/assertion/options", serve(s.offer))
	http.HandleFunc("/assertion/result", serve(s.verify))
	log.Fatal(http.ListenAndServeTLS(os.Getenv("LISTEN"), os.Getenv("CERTIFICATE"), os.Getenv("KEY"), nil))
}
