"""The people of a campaign: leaving it, a new password by a link, and joining by an invitation."""

from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.views import INTERNAL_RESET_SESSION_TOKEN, PasswordResetConfirmView
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse, reverse_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from annotation.forms.campaigns.campaigns import JoinForm
from annotation.models import Campaign, Invitation, Role, User
from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.campaigns.campaigns import (
    departure_of,
    get_changeable_campaign,
    get_invitation,
    resettable_raters,
)
from annotation.selectors.campaigns.reading import first_open_round
from annotation.selectors.campaigns.rounds import open_rounds
from annotation.services.campaigns.campaigns import CampaignClosedError
from annotation.services.campaigns.invitations import join_campaign, join_with_new_account
from annotation.services.records.accounts import (
    AccountChangedError,
    change_password,
    make_password_link,
)

LOGIN_BACKEND = "annotation.logins.AccountBackend"


def rater_called(campaign: Campaign, username: str) -> User:
    # PostgreSQL cannot even be asked about a name with NUL in it.
    name = username.replace("\x00", "")
    return get_object_or_404(User, username=name, campaign_memberships__campaign=campaign)


@researcher_required
@require_GET
def rater_removal(request: HttpRequest, public_id: str) -> HttpResponse:
    """Ask before somebody is taken out of a campaign, and say what happens to their traces."""
    campaign = get_changeable_campaign(signed_in_user(request), public_id, kind=None)
    rater = rater_called(campaign, request.GET.get("rater", ""))
    context = {
        "section": "campaigns",
        "campaign": campaign,
        "departure": departure_of(campaign, rater),
        "thing": campaign.round_kind.words.thing,
    }
    return render(request, "annotation/campaign_remove_rater.html", context)


@researcher_required
@require_http_methods(["GET", "POST"])
def rater_password(request: HttpRequest, public_id: str) -> HttpResponse:
    """Ask, and then show the one link by which a rater chooses a new password."""
    user = signed_in_user(request)
    campaign = get_changeable_campaign(user, public_id, kind=None)
    name = (request.POST or request.GET).get("rater", "").replace("\x00", "")
    rater = get_object_or_404(resettable_raters(user, campaign), username=name)
    context = {"section": "campaigns", "campaign": campaign, "rater": rater}
    if request.method == "POST":
        link = make_password_link(user=rater, actor=user)
        address = reverse("password-link", args=[link.user_id, link.token])
        context["link"] = request.build_absolute_uri(address)
    return render(request, "annotation/rater_password.html", context)


class PasswordLinkView(PasswordResetConfirmView):
    """Choose a password by a link that somebody was given."""

    template_name = "registration/password_link.html"
    success_url = reverse_lazy("login")

    def get_user(self, uidb64: str) -> User | None:
        """Whose link it is; None where the account got more rights since."""
        user = super().get_user(uidb64)
        if user is None or user.role != Role.ANNOTATOR or user.is_superuser or user.is_staff:
            return None
        return user

    def render_to_response(self, context: dict[str, Any], **options: Any) -> HttpResponse:
        """A link that does not work is answered with 404 and a page that says what to do."""
        status = HTTPStatus.OK if context["validlink"] else HTTPStatus.NOT_FOUND
        return super().render_to_response(context, status=status, **options)

    def form_valid(self, form: "SetPasswordForm[User]") -> HttpResponse:
        try:
            change_password(user=form.user, password=form.cleaned_data["new_password1"])
        except AccountChangedError:
            self.validlink = False
            return self.render_to_response(self.get_context_data())
        del self.request.session[INTERNAL_RESET_SESSION_TOKEN]
        messages.success(self.request, "Your password is set. Log in with it.")
        return redirect(self.get_success_url())


@never_cache
@require_http_methods(["GET", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Let the holder of the link join, with their account or a new one."""
    invitation = get_invitation(token)
    user = request.user if isinstance(request.user, User) else None
    if user is not None and (user.role != Role.ANNOTATOR or user.is_superuser):
        return render(
            request, "annotation/join_page.html", {"invitation": invitation, "is_rater": False},
            status=403,
        )  # fmt: skip
    form = JoinForm(request.POST or None)
    try:
        if user is not None and request.method == "POST":
            join_campaign(invitation=invitation, user=user)
            return _welcome(user, invitation)
        if user is None and request.method == "POST" and form.is_valid():
            chosen = form.cleaned_data
            new_user = join_with_new_account(
                invitation=invitation, username=chosen["username"], password=chosen["password1"]
            )
            login(request, new_user, LOGIN_BACKEND)
            return _welcome(new_user, invitation)
    except CampaignClosedError as error:
        messages.error(request, str(error))
    except ValidationError as error:
        form.add_error("username", ValidationError(error.messages))
    context = {
        "invitation": invitation,
        "form": form,
        "is_rater": True,
        "has_begun": open_rounds(invitation.campaign).exists(),
    }
    return render(request, "annotation/join_page.html", context)


def _welcome(user: User, invitation: Invitation) -> HttpResponse:
    """Where somebody who has joined goes: the welcome of an open round, or the queue."""
    round_ = first_open_round(user, invitation.campaign_id)
    return redirect("welcome", round_.public_id) if round_ else redirect("queue")
