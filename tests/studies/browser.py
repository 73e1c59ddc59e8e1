"""A page in headless Chromium, driven through the pipes of its debugging protocol."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"]


class Page:
    """A page that was opened and has shown itself; scripts are run in it."""

    def __init__(self, path, width=1400, height=900):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs, self.to = os.pipe()
        self.answers, from_them = os.pipe()

        def attach():
            # Chromium reads from 3 and writes to 4.
            reading, writing = os.dup(theirs), os.dup(from_them)
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        self.process = subprocess.Popen(["chromium", *FLAGS, f"--user-data-dir={self.profile.name}"], preexec_fn=attach, close_fds=False,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs)
        os.close(from_them)
        self.left, self.number, self.session = b"", 0, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Performance.enable", timeDomain="threadTicks")
        self.call("Page.navigate", url=Path(path).resolve().as_uri())
        self.run("new Promise(done => { const look = () => document.documentElement?.dataset.ready ? done(1) : setTimeout(look, 20); look(); })")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.profile.cleanup()

    def call(self, method, **parameters):
        """What a method of the protocol answers."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.left:
                read = os.read(self.answers, 1 << 20)
                if not read:
                    raise SystemExit("chromium has ended; is it installed?")
                self.left += read
            text, _, self.left = self.left.partition(b"\0")
            answer = json.loads(text)
            if answer.get("id") != self.number:
                continue
            if "error" in answer:
                raise SystemExit(f"{method}: {answer['error']}")
            return answer["result"]

    def run(self, script):
        """The value of an expression, waited for if it is a promise."""
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise SystemExit(json.dumps(result["exceptionDetails"])[:2000])
        return result["result"].get("value")

    def computed(self):
        """Seconds that the page's thread has computed."""
        metrics = self.call("Performance.getMetrics")["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")
