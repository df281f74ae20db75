"""The new annotation as an ELAN document (.eaf), the tool in which many annotators look at video.

Two tiers of time intervals, the texts of the steps and their labels. Source: EAF annotation format
3.0, Max Planck Institute for Psycholinguistics (schema EAFv3.0.xsd): times in milliseconds, every
annotation between two time slots, one author and date per document.
"""

from datetime import datetime
from xml.etree import ElementTree

from generation.engine.splicing.edit_list import EditList

SCHEMA = "http://www.mpi.nl/tools/elan/EAFv3.0.xsd"
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
LINGUISTIC_TYPE = "steps"


def elan_document(edits: EditList, *, media_url: str, made_at: datetime) -> str:
    """The .eaf file; `media_url` is where ELAN finds the recording, relative or absolute."""
    root = ElementTree.Element(
        "ANNOTATION_DOCUMENT",
        {
            "xmlns:xsi": _XSI,
            "xsi:noNamespaceSchemaLocation": SCHEMA,
            "AUTHOR": "PIE-V",
            "DATE": made_at.isoformat(timespec="seconds"),
            "FORMAT": "3.0",
            "VERSION": "3.0",
        },
    )
    timed = [step for step in edits.steps if step.start_s is not None]
    header = ElementTree.SubElement(
        root, "HEADER", {"MEDIA_FILE": "", "TIME_UNITS": "milliseconds"}
    )
    media = {"MEDIA_URL": media_url, "MIME_TYPE": "video/mp4"}
    ElementTree.SubElement(header, "MEDIA_DESCRIPTOR", media)
    count = ElementTree.SubElement(header, "PROPERTY", {"NAME": "lastUsedAnnotationId"})
    count.text = str(2 * len(timed))
    order = ElementTree.SubElement(root, "TIME_ORDER")
    times_s = [at_s for step in timed for at_s in (step.start_s, step.end_s) if at_s is not None]
    for slot, at_s in enumerate(times_s, start=1):
        slot_attributes = {"TIME_SLOT_ID": f"ts{slot}", "TIME_VALUE": str(round(at_s * 1000))}
        ElementTree.SubElement(order, "TIME_SLOT", slot_attributes)
    _add_tier(root, "Steps", [step.text for step in timed], first_id=1)
    _add_tier(
        root,
        "Labels",
        [
            f"{step.label} {step.mistake_type}" if step.mistake_type else str(step.label)
            for step in timed
        ],
        first_id=1 + len(timed),
    )
    ElementTree.SubElement(
        root,
        "LINGUISTIC_TYPE",
        {
            "LINGUISTIC_TYPE_ID": LINGUISTIC_TYPE,
            "TIME_ALIGNABLE": "true",
            "GRAPHIC_REFERENCES": "false",
        },
    )
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _add_tier(root: ElementTree.Element, name: str, values: list[str], *, first_id: int) -> None:
    tier = {"LINGUISTIC_TYPE_REF": LINGUISTIC_TYPE, "TIER_ID": name}
    element = ElementTree.SubElement(root, "TIER", tier)
    for number, value in enumerate(values):
        annotation = ElementTree.SubElement(element, "ANNOTATION")
        interval = ElementTree.SubElement(
            annotation,
            "ALIGNABLE_ANNOTATION",
            {
                "ANNOTATION_ID": f"a{first_id + number}",
                "TIME_SLOT_REF1": f"ts{2 * number + 1}",
                "TIME_SLOT_REF2": f"ts{2 * number + 2}",
            },
        )
        ElementTree.SubElement(interval, "ANNOTATION_VALUE").text = value
