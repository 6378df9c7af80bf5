"""Images: uploaded here, decoded and made smaller like those that are fetched."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin, messages
from django.http import HttpResponseRedirect
from django.template.defaultfilters import filesizeformat
from django.utils import timezone

from calendar_events.admin import institutions
from calendar_events.admin.base import CalendarAdmin, refused_as_forbidden
from calendar_events.conf import conf
from calendar_events.models import Image
from calendar_events.permissions import Actor
from calendar_events.services import images
from calendar_events.services.images import NotAPicture, NotStored, Picture

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile
    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse


logger = logging.getLogger(__name__)


class ImageForm(forms.ModelForm):
    """A new picture; later only its title can be changed, for others link to it."""

    request: HttpRequest
    upload = forms.FileField(help_text="JPEG, PNG, GIF or WebP.")

    class Meta:
        model = Image
        fields = ["institution", "title"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Let the institution be chosen by name."""
        super().__init__(*args, **kwargs)
        institutions.offer(self.fields, only=institutions.own(self.request))

    def clean_upload(self) -> Picture:
        """Decode the picture. Raises ``ValidationError`` when it is none."""
        upload: UploadedFile = self.cleaned_data["upload"]
        if (upload.size or 0) > conf.image_max_bytes:
            limit = filesizeformat(conf.image_max_bytes)
            raise forms.ValidationError(f"The file is larger than {limit}.")
        name = (upload.name or "").rpartition(".")[0]
        try:
            return images.decode(upload.read(), name=name)
        except NotAPicture as error:
            raise forms.ValidationError(f"This file {error}") from error


class TitleForm(forms.ModelForm):
    """What may be changed of an image."""

    class Meta:
        model = Image
        fields = ["title"]


@admin.register(Image)
class ImageAdmin(CalendarAdmin):
    """Images."""

    list_display = ("id", "title", "institution", "width", "height", "mime_type", "author")
    list_filter = (institutions.InstitutionFilter, "mime_type")
    list_select_related = ("author",)
    search_fields = ("title", "=id")
    ordering = ("-id",)
    readonly_fields = (
        *("id", "institution", "author", "file", "width", "height", "filesize"),
        *("mime_type", "sizes", "source_url", "created_at"),
    )

    def get_form(
        self, request: HttpRequest, obj: Any = None, *args: Any, **kwargs: Any
    ) -> type[forms.ModelForm]:
        """Offer the upload for a new image only."""
        kwargs["form"] = TitleForm if obj else ImageForm
        return super().get_form(request, obj, *args, **kwargs)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Show everything of a stored image."""
        return self.readonly_fields if obj else ()

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """List the fields in the order of interest."""
        if obj is None:
            return ["institution", "title", "upload"]
        return ["title", *self.readonly_fields]

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Say so when the files of the picture could not be written."""
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except NotStored as error:
            logger.exception("A picture could not be stored.")
            messages.error(request, f"The picture was not added: {error}. Try again later.")
            return HttpResponseRedirect(request.get_full_path())

    def save_model(
        self, request: HttpRequest, obj: Any, form: Any, *args: Any, **kwargs: Any
    ) -> None:
        """Store the picture and its sizes; ``obj`` becomes what was stored."""
        if obj.pk is not None:
            super().save_model(request, obj, form, *args, **kwargs)
            return
        with refused_as_forbidden(), images.delete_files_on_rollback():
            saved = images.add(
                actor=Actor(
                    user=request.user, institution=form.cleaned_data["institution"]
                ),
                picture=form.cleaned_data["upload"],
                title=form.cleaned_data["title"],
                now=timezone.now(),
            )
        obj.__dict__.clear()
        obj.__dict__.update(saved.__dict__)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Delete the row and its files."""
        images.remove(image=obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet) -> None:
        """Delete one by one, with the files."""
        for image in queryset:
            self.delete_model(request, image)
