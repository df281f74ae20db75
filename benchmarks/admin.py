"""Reading item sets and assessments in the admin site; only services write them."""

from django.contrib import admin

from annotation.admin import ReadOnlyAdmin
from benchmarks.models import Assessment, FeatureSet, ItemSet


@admin.register(ItemSet)
class ItemSetAdmin(ReadOnlyAdmin):
    list_display = ("name", "version", "task", "source", "owner", "item_count", "frozen_at")
    list_select_related = ("owner",)
    list_filter = ("task", "is_shared")
    search_fields = ("name", "content_hash")


@admin.register(Assessment)
class AssessmentAdmin(ReadOnlyAdmin):
    list_display = ("name", "kind", "item_set", "owner", "created_at", "frozen_at")
    list_select_related = ("item_set", "owner")
    list_filter = ("kind",)
    search_fields = ("name",)


@admin.register(FeatureSet)
class FeatureSetAdmin(ReadOnlyAdmin):
    list_display = ("name", "dataset", "made_by", "width", "owner", "created_at", "finished_at")
    list_select_related = ("dataset", "owner")
    search_fields = ("name", "dataset__name", "content_hash")
