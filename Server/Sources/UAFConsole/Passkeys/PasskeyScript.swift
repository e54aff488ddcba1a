/// The scripts of the pages that use passkeys.
///
/// They carry options from the server to the browser's authenticator, and answers back. They contain no texts: all notices are
/// in the page, and a script shows one of them. Bytes are base64url in JSON and buffers in the browser, so both directions are
/// converted here: some browsers in use do not have `parseCreationOptionsFromJSON`.
enum PasskeyScript {
  /// The script of the page for a new passkey.
  static let registration =
    common + """

      const account = document.getElementById("account");
      const code = document.getElementById("code");
      const form = document.getElementById("registration");
      const trial = document.getElementById("try");

      const ask = async (path, body, token) => {
        const headers = { "Content-Type": "application/json" };
        if (token) headers.Authorization = "Bearer " + token;
        return read(await send(path, headers, JSON.stringify(body)));
      };

      const register = async () => {
        const options = await ask("/attestation/options", { username: account.value.trim() }, code.value.trim());
        options.challenge = bytes(options.challenge);
        options.user.id = bytes(options.user.id);
        options.excludeCredentials = descriptors(options.excludeCredentials);
        const made = await navigator.credentials.create({ publicKey: options });
        await ask("/attestation/result", described(made, {
          clientDataJSON: base64url(made.response.clientDataJSON),
          attestationObject: base64url(made.response.attestationObject),
          transports: made.response.getTransports ? made.response.getTransports() : [],
        }));
      };

      const authenticate = async () => {
        const options = await ask("/assertion/options", { username: account.value.trim() });
        await ask("/assertion/result", await assertion(options));
      };

      form.addEventListener("submit", (event) => {
        event.preventDefault();
        run(document, form.querySelector("button"), register, () => {
          code.value = "";
          form.hidden = true;
          trial.hidden = false;
          tell(document, "registered");
        });
      });
      trial.addEventListener("click", () => run(document, trial, authenticate, () => tell(document, "tried")));
      if (!window.PublicKeyCredential) {
        form.querySelector("button").disabled = true;
        tell(document, "no-passkeys");
      }

      """

  /// The script of the console's pages: sign-in and confirmation.
  static let console =
    common + """

      for (const place of document.querySelectorAll("form.passkey")) {
        const button = place.querySelector("button");
        const begin = async () => {
          const name = document.querySelector('input[name="name"]');
          const fields = { csrf: place.elements.csrf.value, name: name ? name.value.trim() : "" };
          const path = place.getAttribute("action") + "/options";
          return assertion(await read(await send(path, {}, new URLSearchParams(fields))));
        };
        const finish = (answer) => {
          place.elements.answer.value = JSON.stringify(answer);
          place.submit();
        };
        button.addEventListener("click", () => run(place, button, begin, finish));
        if (!window.PublicKeyCredential) {
          button.disabled = true;
          tell(place, "no-passkeys");
        }
      }

      """

  private static let common = """
    "use strict";

    const bytes = (text) =>
      Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
    const base64url = (buffer) =>
      btoa(String.fromCharCode(...new Uint8Array(buffer)))
        .replace(/\\+/g, "-").replace(/\\//g, "_").replace(/=+$/, "");
    const descriptors = (list) => (list || []).map((each) => ({ ...each, id: bytes(each.id) }));

    class Refused extends Error {}

    const tell = (place, name) => {
      for (const each of place.querySelectorAll("[data-notice]")) each.hidden = each.dataset.notice !== name;
    };

    const read = async (reply) => {
      if (reply.status === 429) throw new Refused("too-often");
      // The session has ended: the page that the server redirects to says so.
      if (reply.type === "opaqueredirect") {
        location.reload();
        return new Promise(() => {});
      }
      let message;
      try {
        message = await reply.json();
      } catch {
        throw new Refused("internal-error");
      }
      if (message.status !== "ok") throw new Refused(message.reason);
      return message;
    };

    const send = async (path, headers, body) => {
      try {
        return await fetch(path, { method: "POST", headers, body, redirect: "manual" });
      } catch {
        throw new Refused("unreachable");
      }
    };

    const described = (made, response) => ({
      id: made.id,
      rawId: base64url(made.rawId),
      type: made.type,
      authenticatorAttachment: made.authenticatorAttachment,
      clientExtensionResults: made.getClientExtensionResults(),
      response,
    });

    const assertion = async (options) => {
      options.challenge = bytes(options.challenge);
      options.allowCredentials = descriptors(options.allowCredentials);
      const made = await navigator.credentials.get({ publicKey: options });
      const handle = made.response.userHandle;
      return described(made, {
        clientDataJSON: base64url(made.response.clientDataJSON),
        authenticatorData: base64url(made.response.authenticatorData),
        signature: base64url(made.response.signature),
        userHandle: handle && handle.byteLength ? base64url(handle) : null,
      });
    };

    const run = async (place, button, ceremony, done) => {
      button.disabled = true;
      tell(place, "waiting");
      try {
        done(await ceremony());
      } catch (error) {
        tell(place, error instanceof Refused ? error.message : "cancelled");
      } finally {
        button.disabled = false;
      }
    };

    """
}
