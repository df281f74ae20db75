"""Items that tell nothing, and the same items with one leak of a stated kind."""

from dataclasses import replace

from benchmarks.engine.task import Item

WORDS = (
    "take", "put", "cut", "pour", "heat", "mix", "clean", "open", "close", "bread", "knife", "pan",
    "bowl", "lid", "water",
)  # fmt: skip
PERSONS = tuple("abcdef")
RECORDINGS, STEPS = 30, 10
# How often the leak is there where the answer is yes, and where it is not.
SHARE, OTHERWISE = 0.8, 0.05


def honest_items(rng):
    """Yes or no at random of steps with words, times and persons at random."""
    items = []
    for number in range(RECORDINGS):
        procedure = [" ".join(rng.choice(WORDS, size=4)) for _ in range(6)]
        person = PERSONS[number % len(PERSONS)]
        start_s = 0.0
        for place in range(STEPS):
            end_s = round(start_s + float(rng.uniform(2, 20)), 3)
            step = str(rng.choice(procedure))
            items.append(
                Item(
                    f"{number}#{place}", f"r{number}",
                    {"goal": "Cook", "procedure": procedure, "step": step, "before": []},
                    {"answer": "yes" if rng.random() < 0.35 else "no"},
                    question=f"Is this step a mistake? “{step}”", choices=("yes", "no"),
                    start_s=start_s, moment_s=end_s, procedure="Cook", person=person,
                    take=f"r{number}",
                )
            )  # fmt: skip
            start_s = end_s
    return items


def honest_choices(rng):
    """Questions with four choices of their own, of which one at random is right."""
    items = []
    for item in honest_items(rng):
        choices = tuple(
            " ".join(rng.choice(WORDS, size=rng.integers(2, 6))) + f" {place}" for place in range(4)
        )
        order = tuple(choices[at] for at in rng.permutation(4))
        items.append(replace(item, choices=order, truth={"answer": str(rng.choice(order))}))
    return items


def _with_step(item, step):
    question = f"Is this step a mistake? “{step}”"
    return replace(item, payload={**item.payload, "step": step}, question=question)


def in_words(item, rng):
    return _with_step(item, f"{item.payload['step']} instead")


def in_length(item, rng):
    return _with_step(item, " ".join([item.payload["step"], *rng.choice(WORDS, size=4)]))


def in_times(item, rng):
    return replace(item, moment_s=item.start_s + 30.5)


def in_shape(item, rng):
    return replace(item, payload={**item.payload, "remark": None})


def in_options(item, rng):
    """The right choice is the longest one."""
    right = item.truth["answer"]
    longer = f"{right} {' '.join(rng.choice(WORDS, size=9))}"
    choices = tuple(longer if choice == right else choice for choice in item.choices)
    return replace(item, choices=choices, truth={"answer": longer})


def _answered(item, is_yes):
    return replace(item, truth={"answer": "yes" if is_yes else "no"})


def in_place(item, rng):
    """Not the item but its answer is changed: mistakes come late."""
    late = int(item.key.partition("#")[2]) >= STEPS - 4
    return _answered(item, rng.random() < (SHARE if late else OTHERWISE))


def in_source(item, rng):
    return _answered(item, rng.random() < (SHARE if item.person in PERSONS[:2] else OTHERWISE))


def planted_items(kind, rng):
    """Items with the leak that the guesser of this name goes by."""
    if kind == "options":
        return [
            in_options(item, rng) if rng.random() < SHARE else item for item in honest_choices(rng)
        ]
    plant = {
        "words": in_words, "length": in_length, "times": in_times, "shape": in_shape,
        "place": in_place, "source": in_source,
    }[kind]  # fmt: skip
    items = []
    for item in honest_items(rng):
        share = SHARE if item.truth["answer"] == "yes" else OTHERWISE
        if kind in ("place", "source") or rng.random() < share:
            item = plant(item, rng)
        items.append(item)
    return items
