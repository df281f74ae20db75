"""Links by which people take part in a campaign by themselves."""

import secrets
from datetime import timedelta

from django.db import transaction
from django.db.models import F
from django.http import Http404
from django.utils import timezone

from annotation.models import Campaign, CampaignRater, Invitation, Role, User
from annotation.selectors.campaigns.campaigns import invitation_digest
from annotation.services.campaigns.campaigns import add_raters
from annotation.services.records.accounts import save_new
from annotation.services.records.audit_log import record, record_campaign

TOKEN_BYTES = 24
VALID_DAYS = 14


@transaction.atomic
def make_invitation(*, campaign: Campaign, places: int, actor: User) -> str:
    """Make a link for so many people; its token is shown once and stored nowhere."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    invitation = Invitation(
        campaign=campaign,
        token_digest=invitation_digest(token),
        made_by=actor,
        expires_at=timezone.now() + timedelta(days=VALID_DAYS),
        places=places,
    )
    invitation.full_clean()
    invitation.save()
    record_campaign(actor, "invitation.make", campaign, {"places": places})
    return token


@transaction.atomic
def end_invitations(*, campaign: Campaign, actor: User) -> int:
    """End every link of the campaign and return how many there were."""
    count, _ = Invitation.objects.filter(campaign=campaign).delete()
    record_campaign(actor, "invitation.end", campaign, {})
    return count


@transaction.atomic
def join_campaign(*, invitation: Invitation, user: User) -> None:
    """Take a place in the campaign of the invitation; who is in it already takes none.

    Raises Http404 where somebody else took the last place, `CampaignClosedError` where it closed.
    """
    campaign = invitation.campaign
    # Locked, else two clicks at once would take two places.
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if CampaignRater.objects.filter(campaign=campaign, rater=user).exists():
        return
    # One conditional update: two people at once cannot both take the last place.
    taken = Invitation.objects.filter(
        pk=invitation.pk, used_count__lt=F("places"), expires_at__gt=timezone.now()
    ).update(used_count=F("used_count") + 1)
    if not taken:
        raise Http404("This invitation has already been used by as many people as it is for.")
    add_raters(campaign=campaign, raters=[user], actor=user)


def join_with_new_account(*, invitation: Invitation, username: str, password: str) -> User:
    """Make somebody's own account, which then rates in the campaign.

    Raises `ValidationError` when the name is taken or not a user name.
    """
    owner = invitation.campaign.owner
    user = User(username=username, role=Role.ANNOTATOR, taken_in_by=owner)
    # Hashing takes a quarter of a second, in which a transaction would let nobody save.
    user.set_password(password)
    with transaction.atomic():
        save_new(user)
        detail = {"role": user.role}
        record(actor=user, action="user.join", subject=f"user:{user.pk}", detail=detail)
        join_campaign(invitation=invitation, user=user)
    return user
