# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven by its DevTools protocol over a pipe.

    with Browser() as browser:
        page = browser.open(path)           # waits until it is loaded
        page.evaluate("document.title")
        page.press("ArrowDown")
        page.click("#expand")
        page.problems                       # errors, exceptions, dialogs, requests

Needs nothing but Chromium and Python's own library; `Unavailable` says what is missing.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

SECONDS = 30
KEYS = {"Enter": "\r", " ": " ", "/": "/"}


class Unavailable(Exception):
    """There is no browser here; the text says why."""


class Browser:
    def __init__(self):
        program = shutil.which("chromium")
        if program is None:
            raise Unavailable("chromium is not installed (package chromium)")
        self._folder = tempfile.TemporaryDirectory(prefix="onnx-hier-browser-")
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        flags = [
            "--headless=new",
            "--remote-debugging-pipe",
            f"--user-data-dir={self._folder.name}",
            "--no-first-run",
            "--disable-gpu",
            "--disable-extensions",
            "--disable-component-update",
            "--disable-background-networking",
            "--disable-dev-shm-usage",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            # Text of pictures is the same on all screens.
            "--font-render-hinting=none",
            "about:blank",
        ]
        if os.geteuid() == 0:
            flags.insert(0, "--no-sandbox")
        # The browser reads from file descriptor 3 and writes to 4.
        command = ["sh", "-c", f'exec "$@" 3<&{to_read} 4>&{to_write}', "sh", program, *flags]
        self._process = subprocess.Popen(
            command,
            pass_fds=(to_read, to_write),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self._folder.name},
        )
        os.close(to_read)
        os.close(to_write)
        self._buffer = b""
        self._number = 0
        self._page = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
        except (OSError, RuntimeError):
            self._process.kill()
        self._process.wait(SECONDS)
        os.close(self._write)
        os.close(self._read)
        self._folder.cleanup()

    def call(self, method, session=None, **parameters):
        """The result of one call; events that come meanwhile go to their pages."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        wanted = self._number
        while True:
            message = self._receive()
            if message.get("id") == wanted:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            if self._page and message.get("sessionId") == self._page.session:
                self._page.note(message["method"], message["params"])

    def _receive(self):
        while b"\0" not in self._buffer:
            if not select.select([self._read], [], [], SECONDS)[0]:
                raise RuntimeError("the browser does not answer")
            piece = os.read(self._read, 1 << 20)
            if not piece:
                raise RuntimeError("the browser has ended")
            self._buffer += piece
        text, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(text)

    def open(self, path, width=1400, height=1000, dark=False):
        """In the one tab; what was open before is gone."""
        if self._page is None:
            target = self.call("Target.createTarget", url="about:blank")["targetId"]
            attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
            self._page = Page(self, attached["sessionId"])
        self._page.load(f"file://{path}", width, height, dark)
        return self._page


class Page:
    def __init__(self, browser, session):
        self._browser = browser
        self.session = session
        self._url = ""
        self._is_loaded = False
        self.problems = []

    def call(self, method, **parameters):
        return self._browser.call(method, self.session, **parameters)

    def load(self, url, width, height, dark):
        self._url, self._is_loaded, self.problems = url, False, []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url=self._url)
        end = time.monotonic() + SECONDS
        while not self._is_loaded and time.monotonic() < end:
            self.call("Runtime.evaluate", expression="0")
        self.settle()

    def note(self, method, parameters):
        """What a page without faults never does."""
        if method == "Page.loadEventFired":
            self._is_loaded = True
        elif method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            text = details.get("exception", {}).get("description", details["text"])
            self.problems.append(f"exception: {text}")
        elif method == "Runtime.consoleAPICalled":
            self.problems.append(f"console: {parameters['args']}")
        elif method == "Log.entryAdded":
            self.problems.append(f"log: {parameters['entry']['text']}")
        elif method == "Page.javascriptDialogOpening":
            self.problems.append(f"dialog: {parameters['message']}")
        elif method == "Network.requestWillBeSent":
            url = parameters["request"]["url"]
            if url.partition("#")[0] != self._url:
                self.problems.append(f"request: {url}")

    def evaluate(self, expression):
        answer = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            text = details.get("exception", {}).get("description", details["text"])
            raise RuntimeError(f"{expression}: {text}")
        return answer["result"].get("value")

    def settle(self):
        """Waits until what was asked for is drawn."""
        self.evaluate(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )

    def press(self, *keys):
        for key in keys:
            pressed = {"key": key, "code": key if len(key) > 1 else "", "text": KEYS.get(key, "")}
            kind = "keyDown" if pressed["text"] else "rawKeyDown"
            self.call("Input.dispatchKeyEvent", type=kind, **pressed)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.settle()

    def type(self, text):
        self.call("Input.insertText", text=text)
        self.settle()

    def click(self, selector):
        """In the middle of the first element that the selector means."""
        place = self.evaluate(
            f"(() => {{ const found = document.querySelector({json.dumps(selector)});"
            "if (!found) return null; found.scrollIntoView({block: 'nearest'});"
            "const box = found.getBoundingClientRect();"
            "return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        if place is None:
            raise RuntimeError(f"nothing is {selector}")
        for kind in ("mousePressed", "mouseReleased"):
            self.call(
                "Input.dispatchMouseEvent",
                type=kind,
                x=place[0],
                y=place[1],
                button="left",
                clickCount=1,
            )
        self.settle()

    def picture(self):
        """PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def printed(self):
        """PDF."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])
