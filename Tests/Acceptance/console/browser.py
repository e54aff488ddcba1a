"""Chromium, driven by its own driver, and axe inside it."""

import base64
import hashlib
import json
import os
import pathlib
import subprocess

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select
from selenium.webdriver.support.wait import WebDriverWait

from lab.machine import ROOT
from lab.table import must

AXE = ROOT / "build/console/python/axe_playwright_python/axe.min.js"
SHOTS = pathlib.Path(os.environ.get("LAB_RESULTS", "/tmp/results"), "screenshots")
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
HEIGHT = 900


def _pin(certificate):
    """The hash of a certificate's key, as Chromium's option wants it.

    Browsers make no passkey at a server whose certificate is in error, and ignoring all errors does not change that.
    """
    key = subprocess.run(["openssl", "x509", "-in", certificate, "-noout", "-pubkey"], capture_output=True, check=True)
    der = subprocess.run(["openssl", "pkey", "-pubin", "-outform", "der"], input=key.stdout, capture_output=True, check=True)
    return base64.b64encode(hashlib.sha256(der.stdout).digest()).decode()


class Browser:
    """One window, with its own profile."""

    def __init__(self, base, language, width, certificate):
        self.base, self._width, self.language = base, width, language
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        # Chromium runs as root of a machine that ends with this run.
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu"):
            options.add_argument(argument)
        options.add_argument(f"--ignore-certificate-errors-spki-list={_pin(certificate)}")
        options.add_argument(f"--accept-lang={language}")
        # How often somebody has pressed a button or followed a link since this was set to 0.
        self.clicks = 0
        self._driver = webdriver.Chrome(options, Service("/usr/bin/chromedriver"))
        self._driver.set_page_load_timeout(30)
        # Chromium's window cannot be as narrow as a telephone, so the width of the page is emulated.
        self._driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False},
        )
        # A bar would take a part of that width, and not appear in pictures of whole pages.
        self._driver.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})

    def close(self):
        self._driver.quit()

    def open(self, path):
        self._driver.get(self.base + path)

    @property
    def path(self):
        return self._driver.current_url.removeprefix(self.base)

    def text(self, selector):
        return self._driver.find_element(By.CSS_SELECTOR, selector).text

    def texts(self, selector):
        return [found.text for found in self._driver.find_elements(By.CSS_SELECTOR, selector)]

    def open_file(self, path):
        self._driver.get(pathlib.Path(path).as_uri())

    def loaded(self):
        """The other resources that the page has requested."""
        return self._driver.execute_script("return performance.getEntriesByType('resource').map(e => e.name)")

    def printed(self, name):
        """Prints the page to PDF; returns the text of each sheet."""
        SHOTS.mkdir(parents=True, exist_ok=True)
        file = SHOTS / f"{name}.pdf"
        made = self._driver.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True, "printBackground": False})
        file.write_bytes(base64.b64decode(made["data"]))
        text = subprocess.run(["pdftotext", "-layout", file, "-"], capture_output=True, text=True, check=True).stdout
        return text.removesuffix("\f").split("\f")

    def press(self, selector):
        """Presses a button, and waits for the page that follows."""
        before = self._driver.find_element(By.TAG_NAME, "html")
        self._driver.find_element(By.CSS_SELECTOR, selector).click()
        self.clicks += 1
        self._wait_for_page(before)

    def enter(self, selector, value):
        """Types a value and presses Enter, and waits for the page that follows."""
        before = self._driver.find_element(By.TAG_NAME, "html")
        self._driver.find_element(By.CSS_SELECTOR, selector).send_keys(value + Keys.ENTER)
        self._wait_for_page(before)

    def type(self, selector, value):
        """Types into a page that stays."""
        self._driver.find_element(By.CSS_SELECTOR, selector).send_keys(value)

    def shows(self, selector, texts):
        """Waits until the elements have exactly these texts, because a script changes the page."""

        def is_so(_):
            return self.texts(selector) == texts

        wait = WebDriverWait(self._driver, 10, ignored_exceptions=[WebDriverException])
        try:
            wait.until(is_so)
        except WebDriverException as fault:
            must(False, f"{selector} at {self.path} has {self.texts(selector)} instead of {texts}: {type(fault).__name__}")

    def back(self):
        """The browser's own button for the page before."""
        self._driver.back()

    def look_up(self, script):
        """The value of an expression in the page."""
        return self._driver.execute_script(f"return {script}")

    def scripts(self, are_on):
        self._driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not are_on})

    def clipboard(self):
        """What the page has copied."""
        allowed = {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"], "origin": self.base}
        self._driver.execute_cdp_cmd("Browser.grantPermissions", allowed)
        return self._driver.execute_async_script(
            "const [done] = arguments; navigator.clipboard.readText().then(done, fault => done(`fault: ${fault}`))"
        )

    def _wait_for_page(self, before):
        wait = WebDriverWait(self._driver, 20, ignored_exceptions=[WebDriverException])
        wait.until(lambda _: self._is_gone(before))
        wait.until(lambda driver: driver.execute_script("return document.readyState") == "complete")

    @staticmethod
    def _is_gone(element):
        """Whether an element belongs to an earlier page. While pages change, Chromium's driver reports this by several errors."""
        try:
            element.is_enabled()
        except WebDriverException:
            return True
        return False

    def fill(self, name, value):
        self._driver.find_element(By.NAME, name).send_keys(value)

    def choose(self, name, value):
        Select(self._driver.find_element(By.NAME, name)).select_by_value(value)

    # --- Passkeys

    def authenticator(self, **described):
        """Adds a virtual authenticator; all others are removed."""
        self._driver.execute_cdp_cmd("WebAuthn.disable", {})
        self._driver.execute_cdp_cmd("WebAuthn.enable", {})
        options = {"protocol": "ctap2", "ctap2Version": "ctap2_1", "automaticPresenceSimulation": True, **described}
        self._driver.execute_cdp_cmd("WebAuthn.addVirtualAuthenticator", {"options": options})

    def attestation(self):
        """The attestation object of a new passkey, which is made for the page's host and thrown away."""
        made = self._driver.execute_async_script(
            """
            const done = arguments[arguments.length - 1];
            const user = {id: new Uint8Array(16), name: "nobody", displayName: "nobody"};
            const options = {
              rp: {name: "nobody"}, user, challenge: new Uint8Array(32), attestation: "direct",
              pubKeyCredParams: [{type: "public-key", alg: -7}],
            };
            navigator.credentials.create({publicKey: options}).then(
              made => done(btoa(String.fromCharCode(...new Uint8Array(made.response.attestationObject)))),
              fault => done("fault: " + fault));
            """
        )
        must(not made.startswith("fault: "), made)
        return base64.b64decode(made)

    def answer(self, account, code):
        """The answer of the authenticator to the server's options for a new passkey; it is not sent."""
        made = self._driver.execute_async_script(
            """
            const [account, code, done] = arguments;
            const headers = {"Content-Type": "application/json", Authorization: "Bearer " + code};
            const body = JSON.stringify({username: account});
            fetch("/attestation/options", {method: "POST", headers, body})
              .then(reply => reply.json())
              .then(options => PublicKeyCredential.parseCreationOptionsFromJSON(options))
              .then(publicKey => navigator.credentials.create({publicKey}))
              .then(made => done(JSON.stringify(made.toJSON())), fault => done("fault: " + fault));
            """,
            account,
            code,
        )
        must(not made.startswith("fault: "), made)
        return json.loads(made)

    def send(self, answer):
        """Sends such an answer; returns the reason of the refusal, or `ok`."""
        return self._driver.execute_async_script(
            """
            const [answer, done] = arguments;
            const headers = {"Content-Type": "application/json"};
            fetch("/attestation/result", {method: "POST", headers, body: JSON.stringify(answer)})
              .then(reply => reply.json())
              .then(told => done(told.reason || told.status), fault => done("fault: " + fault));
            """,
            answer,
        )

    def fill_in(self, selector, value):
        field = self._driver.find_element(By.CSS_SELECTOR, selector)
        field.clear()
        field.send_keys(value)

    def click(self, selector):
        """Presses a button of a page that stays."""
        self._driver.find_element(By.CSS_SELECTOR, selector).click()
        self.clicks += 1

    def notice(self):
        """The name of the notice that the page's script shows at the end."""
        shown = "p[data-notice]:not([hidden])"

        def ended(driver):
            names = [found.get_attribute("data-notice") for found in driver.find_elements(By.CSS_SELECTOR, shown)]
            return names[0] if names and names != ["waiting"] else None

        return WebDriverWait(self._driver, 20).until(ended)

    def shown_notice(self):
        return self.text("p[data-notice]:not([hidden])")

    def clear(self, name):
        self._driver.find_element(By.NAME, name).clear()

    def dark(self, is_on):
        feature = {"name": "prefers-color-scheme", "value": "dark" if is_on else "light"}
        self._driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})

    def sign_in(self, person, channel):
        """Signs in through the pages, with the person's signature."""
        self.open("/console")
        self.fill("name", person.name)
        self.press("main button")
        must("uafctl oob" in self.text("main"), f"no line at {self.path}: {self.text('main')}")
        person.confirm(channel, self.text("pre"))
        self.press("main button")
        must(self.path == "/console", f"no session after a confirmation: {self.path}")

    def examine(self, name):
        """Takes a picture of the page; Broken if axe finds a fault, or the page is wider than the window or in another
        language."""
        SHOTS.mkdir(parents=True, exist_ok=True)
        self.keep(f"{name}.{self.language}.{self._width}")
        wide = self._driver.execute_script("return document.documentElement.scrollWidth")
        must(wide <= self._width, f"{name} is {wide} wide in a window of {self._width}")
        said = self._driver.execute_script("return document.documentElement.lang")
        must(said == self.language, f"{name} is in {said}")
        self._driver.execute_script(AXE.read_text())
        found = self._driver.execute_async_script(
            "const [tags, done] = arguments; axe.run({runOnly: tags}).then(r => done(r.violations), e => done([{id: `${e}`}]))",
            LEVELS,
        )
        named = [f"{one['id']}: {[node['html'] for node in one.get('nodes', [])][:2]}" for one in found]
        must(not named, f"axe finds in {name}: {'; '.join(named)}")

    def keep(self, name):
        """Takes a picture of the whole page."""
        SHOTS.mkdir(parents=True, exist_ok=True)
        size = self._driver.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": max(size["height"], HEIGHT), "scale": 1}
        taken = self._driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
        (SHOTS / f"{name}.png").write_bytes(base64.b64decode(taken["data"]))

    def picture(self, selector, name):
        """Keeps a picture of one element, four times as large; returns the file."""
        SHOTS.mkdir(parents=True, exist_ok=True)
        file = SHOTS / f"{name}.png"
        self._driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": self._width, "height": HEIGHT, "deviceScaleFactor": 4, "mobile": False},
        )
        element = self._driver.find_element(By.CSS_SELECTOR, selector)
        # Only what is in the window is in the picture, and the page may have moved with its new size.
        self._driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.screenshot(str(file))
        return file
