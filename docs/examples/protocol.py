"""A whole audit over the API: pilot, desk, new guideline, frozen protocol, main round, release.

    pip install httpx
    python protocol.py http://127.0.0.1:8000 "Everyday procedures (sample)"

The accounts are those of `make demo`. In an audit of yours people rate in the browser: leave
`rate` out and wait until they have submitted.
"""

import hashlib
import random
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import httpx

RESEARCHER, RATERS = "researcher", ("rater-01", "rater-02", "rater-03")
PASSWORD = "piev-demo"
METRIC = "human_plausibility"
QUESTION = "Could this happen to a careful person on an ordinary day?"
YES_NO, SCALE = ("yes", "no"), ("1", "2", "3", "4", "5")
VALUES = {
    "error_validity": YES_NO,
    "procedure_logic": YES_NO,
    "state_change_coherence": YES_NO,
    "taxonomy_fit": ("D", "I", "S", "T", "WE", "C"),
}


class Api:
    """The API as one person; an answer that is no success stops the script and is shown."""

    def __init__(self, address: str, name: str) -> None:
        self.client = httpx.Client(base_url=f"{address}/api/v1/", timeout=60)
        token = self.call("POST", "token/", username=name, password=PASSWORD)["token"]
        self.client.headers["Authorization"] = f"Token {token}"

    def call(self, method: str, path: str, **body):
        answer = self.client.request(method, path, json=body if method != "GET" else None)
        while answer.status_code == 202:  # figures that are being computed
            time.sleep(int(answer.headers.get("Retry-After", "2")))
            answer = self.client.request(method, path)
        if answer.is_error:
            sys.exit(f"{method} {path}: {answer.status_code} {answer.text}")
        return answer.json() if answer.content else None

    def every(self, path: str):
        """Every row of a list that comes in pages."""
        while path:
            page = self.call("GET", path)
            yield from page["results"]
            path = page["next"]


def rate(rater: Api, campaign: str, chance: random.Random) -> None:
    """Answer everything that a rater has to do in a campaign, and submit it."""
    for assignment in list(rater.every("assignments/")):
        if assignment["campaign"] != campaign or assignment["status"] == "submitted":
            continue
        path = f"assignments/{assignment['id']}"
        changes = []
        for sequence, key in enumerate(rater.call("GET", f"{path}/ratings/")["missing"]):
            values = VALUES.get(key["metric"], SCALE)
            usual = values[(key["event"] or 0) % len(values)]
            change = {
                **key,
                "sequence": sequence,
                "value": usual if chance.random() < 0.7 else chance.choice(values),
                "confidence": 2 if key["metric"] == "procedure_logic" else None,
                "base_revision": 0,
                "rated_at": datetime.now(UTC).isoformat(),
            }
            changes.append(change)
        rater.call("POST", f"{path}/changes/", client_id="protocol.py", changes=changes)
        rater.call("POST", f"{path}/submit/")


def main(address: str, dataset_name: str) -> None:
    researcher = Api(address, RESEARCHER)
    raters = [Api(address, name) for name in RATERS]
    chance = random.Random(7)

    # A draft: people, consent, nothing to rate yet.
    dataset = next(d for d in researcher.every("datasets/") if d["name"] == dataset_name)
    name = f"Scripted audit {datetime.now(UTC):%Y-%m-%d %H:%M:%S}"
    campaign = researcher.call(
        "POST", "campaigns/", name=name, datasets=[dataset["id"]], phase=None
    )["id"]
    home = f"campaigns/{campaign}"
    researcher.call("POST", f"{home}/raters/", usernames=list(RATERS))
    researcher.call("PUT", f"{home}/consent/", text="Your answers are published without your name.")

    # The pilot: four traces, each rated by all three.
    plan = {"overlap": len(RATERS), "seed": 7, "per_dataset": 4}
    researcher.call("POST", f"{home}/rounds/", phase="pilot", guideline=1, **plan)
    researcher.call("POST", f"{home}/rounds/1/open/")
    for rater in raters:
        text = rater.call("GET", f"{home}/consent/")
        rater.call("POST", f"{home}/consent/accept/", number=text["number"])
        rate(rater, campaign, chance)
    researcher.call("POST", f"{home}/rounds/1/close/")

    # The desk: the widest disagreement about plausibility, as a rater and as the researcher.
    case = next(raters[0].every(f"{home}/cases/?metric={METRIC}"))
    print("answers:", ", ".join(f"{a['letter']} {a['value']}" for a in case["answers"]))
    raters[0].call("POST", f"cases/{case['id']}/comments/", text="Plausible for whom?")
    why = "Raters read “plausible” as “frequent”."
    researcher.call("POST", f"cases/{case['id']}/decision/", cause="guideline_gap", reason=why)
    number = researcher.call("POST", f"cases/{case['id']}/guideline/")["number"]

    # The new version: its text with another question, then frozen.
    draft = researcher.call("GET", f"{home}/guidelines/{number}/")
    for entry in draft["text"][METRIC].values():
        entry["question"] = QUESTION
    new = {"text": draft["text"], "examples": draft["examples"], "changes": why}
    researcher.call("PUT", f"{home}/guidelines/{number}/", **new)
    researcher.call(
        "PUT", f"{home}/protocol/analysis/", metrics=[METRIC], hypotheses="Alpha rises."
    )
    researcher.call("POST", f"{home}/freeze/", guideline=number)

    # The main round; opening it files the protocol. The pilot's traces are rated again.
    plan = {"overlap": len(RATERS), "seed": 8, "rates_pilot_again": True}
    stop_rule = "It ends when each trace has three answers."
    researcher.call(
        "POST", f"{home}/rounds/", phase="main", guideline=number, stop_rule=stop_rule, **plan
    )
    researcher.call("POST", f"{home}/rounds/2/open/")
    for rater in raters:
        rate(rater, campaign, chance)
    researcher.call("POST", f"{home}/rounds/2/close/")

    # The figures: each round by itself, and the change of alpha on the same traces.
    for row in researcher.call("GET", f"{home}/agreement/"):
        if row["metric"] == METRIC:
            print(f"round {row['round']}: alpha {row['alpha']:.3f}, {row['ratings']} ratings")
    for row in researcher.call("GET", f"{home}/comparisons/"):
        if row["metric"] == METRIC:
            low, high = row["difference_low"], row["difference_high"]
            print(f"before minus after: {row['difference']:.3f} [{low:.3f}, {high:.3f}]")

    researcher.call("POST", f"{home}/release/")
    for filed in researcher.call("GET", f"{home}/protocol/")["filed"]:
        sent = researcher.client.get(f"{home}/protocol/files/{filed['id']}/").content
        assert hashlib.sha256(sent).hexdigest() == filed["content_hash"]
        Path(f"protocol-{filed['moment']}.json").write_bytes(sent)
        print(f"protocol-{filed['moment']}.json: SHA-256 {filed['content_hash']}")


if __name__ == "__main__":
    main(*sys.argv[1:])
