from annotation.models import AuditEntry, User
from annotation.services.records import audit_log


def test_record_adds_one_row(owner: User) -> None:
    audit_log.record(
        actor=owner, action="dataset.import", subject="dataset:abc", detail={"created": 2}
    )

    entries = AuditEntry.objects.values_list("actor", "action", "subject", "detail")
    assert list(entries) == [(owner.pk, "dataset.import", "dataset:abc", {"created": 2})]


def test_record_accepts_the_command_line_as_actor(db: None) -> None:
    audit_log.record(actor=None, action="dataset.import", subject="dataset:abc")
    entry = AuditEntry.objects.get()

    assert (entry.actor, entry.detail) == (None, {})
