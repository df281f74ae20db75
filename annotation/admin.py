"""What administrators need the admin site for: accounts, and reading the audit log and jobs."""

from http import HTTPStatus
from typing import Any

# Both modules are imported for what they register, so that it can be taken away below.
import axes.admin  # noqa: F401
import rest_framework.authtoken.admin  # noqa: F401
from axes.models import AccessFailureLog, AccessLog
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.template.defaultfilters import truncatechars
from rest_framework.authtoken.models import TokenProxy

from annotation.models import AuditEntry, Job, OpenedPlace, User
from annotation.permissions import signed_in_user
from annotation.services.records.accounts import password_changed
from annotation.services.videos.linking import close_place, open_place

KEY_CHARACTERS = 40


class AccountAdmin(UserAdmin):
    """Accounts with their role; a password that is set here has to be changed by its owner."""

    list_display = ("username", "role", "is_active", "last_login")
    list_filter = ("role", "is_active")
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Person", {"fields": ("first_name", "last_name", "email")}),
        ("Rights", {"fields": ("role", "is_active", "is_staff", "is_superuser")}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )
    add_fieldsets = (
        (None, {"classes": ("wide",), "fields": ("username", "role", "password1", "password2")}),
    )

    def user_change_password(
        self,
        request: HttpRequest,
        id: str,
        form_url: str = "",
    ) -> HttpResponse:
        """Set a password, and have its owner change it."""
        response = super().user_change_password(request, id, form_url)
        if response.status_code == HTTPStatus.FOUND:
            changed = User.objects.get(pk=unquote(id))
            password_changed(user=changed, actor=signed_in_user(request))
        return response


class ReadOnlyAdmin(admin.ModelAdmin):
    """Rows that only services write."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class AuditEntryAdmin(ReadOnlyAdmin):
    """The audit log, newest first."""

    list_display = ("made_at", "actor", "action", "subject")
    list_filter = ("action",)
    search_fields = ("subject", "actor__username")
    list_select_related = ("actor",)
    show_full_result_count = False


class JobAdmin(ReadOnlyAdmin):
    """Queued work and why it failed."""

    list_display = ("status", "kind", "short_key", "attempt", "started_at", "finished_at")
    list_filter = ("status", "kind")
    search_fields = ("key", "error")
    show_full_result_count = False

    @admin.display(description="key")
    def short_key(self, job: Job) -> str:
        return truncatechars(job.key, KEY_CHARACTERS)


class OpenedPlaceAdmin(admin.ModelAdmin):
    """Where researchers may link videos from; places are opened and closed, never changed."""

    list_display = ("address", "opened_at")
    fields = ("address",)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        open_place(address=obj.address, actor=signed_in_user(request))

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        close_place(address=obj.address, actor=signed_in_user(request))

    def delete_queryset(self, request: HttpRequest, queryset: Any) -> None:
        for place in queryset:
            self.delete_model(request, place)


admin.site.site_header = admin.site.site_title = "PIE-V administration"
# Roles are no groups; who reads a token can act as its owner; logins are not recorded.
admin.site.unregister([Group, TokenProxy, AccessLog, AccessFailureLog])
admin.site.register(User, AccountAdmin)
admin.site.register(AuditEntry, AuditEntryAdmin)
admin.site.register(Job, JobAdmin)
admin.site.register(OpenedPlace, OpenedPlaceAdmin)
