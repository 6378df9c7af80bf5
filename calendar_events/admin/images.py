"""Images: uploaded here, decoded and made smaller like those that are fetched."""

import logging
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from calendar_events.admin import institutions
from calendar_events.admin.base import CalendarAdmin, refused_as_forbidden
from calendar_events.conf import conf
from calendar_events.models import Image
from calendar_events.permissions import Actor
from calendar_events.services import images
from calendar_events.services.images import NotAPicture, NotStored, Picture

logger = logging.getLogger(__name__)


class ImageForm(forms.ModelForm):
    """A new picture; later only its words can be changed, for others link to it."""

    request: HttpRequest
    upload = forms.FileField(help_text="JPEG, PNG, GIF or WebP.")

    class Meta:
        model = Image
        fields = ["institution", "title", "alternative_text"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
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
    """The fields of a stored image that may change."""

    class Meta:
        model = Image
        fields = ["title", "alternative_text"]


def thumbnail(image: Image) -> SafeString:
    smallest = min(image.sizes.values(), key=lambda size: size["width"], default=None)
    name = smallest["file"] if smallest else image.file.name
    return format_html(
        '<img src="{}" alt="{}" class="desk-thumbnail" loading="lazy">',
        default_storage.url(name),
        image.alternative_text,
    )


@admin.register(Image)
class ImageAdmin(CalendarAdmin):
    """Images."""

    list_display = (
        *("title", "picture", "alternative_text", "institution"),
        *("width", "height", "mime_type", "author"),
    )
    list_filter = (institutions.InstitutionFilter, "mime_type")
    list_select_related = ("author",)
    search_fields = ("title", "alternative_text", "=id")
    ordering = ("-id",)
    readonly_fields = (
        *("picture", "id", "institution", "author", "file", "width", "height", "filesize"),
        *("mime_type", "sizes", "source_url", "created_at"),
    )

    class Media:
        css = {"all": ["calendar_events/desk.css"]}

    @admin.display(description="Picture")
    def picture(self, image: Image) -> str:
        return thumbnail(image)

    def get_form(
        self, request: HttpRequest, obj: Any = None, *args: Any, **kwargs: Any
    ) -> type[forms.ModelForm]:
        """Offer the upload for a new image only."""
        kwargs["form"] = TitleForm if obj else ImageForm
        return super().get_form(request, obj, *args, **kwargs)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return self.readonly_fields if obj else ()

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is None:
            return ["institution", "title", "alternative_text", "upload"]
        return ["picture", "title", "alternative_text", *self.readonly_fields[1:]]

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
                alternative_text=form.cleaned_data["alternative_text"],
                now=timezone.now(),
            )
        obj.__dict__.clear()
        obj.__dict__.update(saved.__dict__)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        images.remove(image=obj)
