#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""The page of docad-run --report, in a browser without a window: the timeline is drawn and can be zoomed,
what failed and what the rules say is there, and nothing is asked of a network.

    test-report.py BINARIES PAIRED JOBS-2

PAIRED is paired.c, JOBS-2 jobs_2.c.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from nodes import LIMIT

# Put behind the page: it looks at the picture as a person does, and says what it sees.
LOOK = """
<script>
{
  const say = text => { const p = document.createElement("p"); p.className = "seen"; p.textContent = text;
    document.body.appendChild(p); };
  const canvas = document.getElementById("canvas"), box = canvas.getBoundingClientRect();
  const colours = () => { const seen = new Set(),
      data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    for (let i = 0; i < data.length; i += 4) if (data[i + 3]) seen.add([data[i], data[i + 1], data[i + 2]].join());
    return seen; };
  const span = () => canvas.dataset.to - canvas.dataset.from;
  const drawn = colours();
  say("tasks " + drawn.has("123,182,97"));
  say("calls " + drawn.has("122,166,218"));
  say("callbacks " + drawn.has("232,163,61"));
  say("arrows " + drawn.has("194,24,91"));
  const whole = span();
  canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -100, clientX: box.left + 400, clientY: box.top + 30,
    cancelable: true }));
  say("zoom " + (span() < whole));
  canvas.dispatchEvent(new MouseEvent("dblclick"));
  say("back " + (span() === whole));
}
</script>
"""


def seen(page, folder):
    """What the browser shows of a page, and what it has asked of a network."""
    with open(page, "a", encoding="utf-8") as file:
        file.write(LOOK)
    log = os.path.join(folder, "net.json")
    done = subprocess.run(
        [shutil.which("chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-extensions",
         "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={folder}/profile", f"--log-net-log={log}",
         "--virtual-time-budget=10000", "--window-size=1200,900", "--dump-dom", "file://" + page],
        capture_output=True, text=True, timeout=LIMIT, check=True)
    with open(log, encoding="utf-8") as file:
        asked = set(re.findall(r'"url":"((?:https?|wss?)://[^"]*)"', file.read()))
    return done.stdout, {url for url in asked if "docad" in url or page in url}


def run(binaries, *words, status=0):
    done = subprocess.run([os.path.join(binaries, "docad-run"), *words], capture_output=True, text=True,
                          timeout=LIMIT, check=False)
    assert done.returncode == status, (words, done)
    return done


def traces(page):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    found = re.findall(r'<script type="application/json" data-side="(\w*)">\n(.*?)</script>', text, re.S)
    return {side: json.loads(trace)["traceEvents"] for side, trace in found}, text


def check_page(page, folder, sides):
    found, text = traces(page)
    assert list(found) == sides, list(found)
    for events in found.values():
        assert any(event["ph"] == "X" and event["cat"] == "task" for event in events), events[:3]
    assert not re.search(r'(?:src|href)=|url\(|@import|fetch\(|XMLHttp', text), "it is not in one piece"
    shown, asked = seen(page, folder)
    said = re.findall(r'<p class="seen">([^<]*)</p>', shown)
    assert said[:3] + said[4:] == ["tasks true", "calls true", "callbacks true", "zoom true", "back true"], said
    assert said[3] == "arrows false", said
    assert not asked, asked
    assert "Summary" in shown and "doca_dma_create" in shown, shown[-2000:]
    return shown


def check_one(binaries, folder):
    page = os.path.join(folder, "one.html")
    run(binaries, "--dpu-only", "--report", page, os.path.join(binaries, "dma_tasks"))
    shown = check_page(page, folder, ["dpu"])
    assert "DOCA_ERROR_SHUTDOWN" in shown, shown  # tasks that were flushed


def check_pair(binaries, folder):
    page = os.path.join(folder, "two.html")
    program = os.path.join(binaries, "dma_task")
    run(binaries, "--pair", "--check=rules", "--report", page, "--", program, "host", "--", program, "dpu")
    check_page(page, folder, ["host", "dpu"])


def check_arrows(binaries, folder):
    """From each message, and each export, to the other side."""
    page, paired = os.path.join(folder, "arrows.html"), os.path.abspath(sys.argv[2])
    run(binaries, "--pair", "--first", "dpu", "--report", page, "--", paired, "host", "4", "--", paired, "dpu", "4")
    shown, asked = seen(page, folder)
    assert "13 arrows lead from one side to the other: 12 messages, 1 imports." in shown, shown[-3000:]
    assert '<p class="seen">arrows true</p>' in shown and not asked


def check_failed(binaries, folder):
    """A task that has failed stands beside the line of the log that says why."""
    page = os.path.join(folder, "failed.html")
    run(binaries, "--dpu-only", "--report", page, os.path.abspath(sys.argv[3]), "small")
    shown, _ = seen(page, folder)
    rows = re.findall("<tr>(.*?)</tr>", shown[shown.index('id="failed"'):], re.S)
    cells = [re.findall("<td>(.*?)</td>", row, re.S) for row in rows]
    said = [row[4] for row in cells if row and row[2] == "DOCA_DMA_JOB_MEMCPY"]
    assert len(said) == 3, cells
    for text, room in zip(said, (16, 32, 48)):
        assert f"tailroom of {room}" in text, cells


def check_refused(binaries, folder):
    page = os.path.join(folder, "none.html")
    done = run(binaries, "--report", page, "--trace", "true", status=2)
    assert "--report has a trace" in done.stderr and not os.path.exists(page), done
    done = run(binaries, "--dpu-only", "--report", "/nowhere/page", os.path.join(binaries, "dma_task"))
    assert "cannot write the report /nowhere/page: No such file" in done.stderr, done


def main():
    if not shutil.which("chromium"):
        print("SKIPPED: chromium is not installed")
        sys.exit(77)
    binaries = os.path.abspath(sys.argv[1])
    os.environ["DOCAD_BINARY"] = os.path.join(binaries, "docad")
    with tempfile.TemporaryDirectory(prefix="docad-report.") as folder:
        check_one(binaries, folder)
        check_pair(binaries, folder)
        check_arrows(binaries, folder)
        check_failed(binaries, folder)
        check_refused(binaries, folder)


if __name__ == "__main__":
    main()
