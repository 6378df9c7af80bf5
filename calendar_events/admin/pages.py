"""Pages of an admin class besides Django's own: a list of objects, as actions are."""

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import path, reverse

from institution_admin import is_id


class Button(NamedTuple):
    """A link to a page, shown above a list or a form."""

    label: str
    url: str


class Page:
    """A page about a record, or about all of them where ``route`` has no ``object_id``.

    ``name`` follows the model's in the name of the URL.
    """

    name: ClassVar[str]
    route: ClassVar[str]

    def has_permission(self, request: HttpRequest, model_admin: Any, record: Any) -> bool:
        """Return whether the user may open the page; that of a record they may view."""
        return bool(model_admin.has_view_permission(request, record))

    def list_button(self, request: HttpRequest, model_admin: Any) -> Button | None:
        """Return the link above the list, if there is one."""
        return None

    def record_button(
        self, request: HttpRequest, model_admin: Any, record: Any
    ) -> Button | None:
        """Return the link above the form of a record, if there is one."""
        return None

    def view(self, request: HttpRequest, model_admin: Any, record: Any) -> HttpResponse:
        """Answer a request; ``record`` is ``None`` for a page about all of them."""
        raise NotImplementedError


class PagesMixin(admin.ModelAdmin):
    """Serves ``pages``, and links to them from the list and the form."""

    pages: ClassVar[tuple[Page, ...]] = ()

    def get_urls(self) -> list[Any]:
        names = f"{self.opts.app_label}_{self.opts.model_name}"
        ours = [
            path(
                page.route,
                self.admin_site.admin_view(self._view_of(page)),
                name=f"{names}_{page.name}",
            )
            for page in self.pages
        ]
        return [*ours, *super().get_urls()]

    def _view_of(self, page: Page) -> Callable[..., HttpResponse]:
        def view(request: HttpRequest, object_id: str | None = None) -> HttpResponse:
            record = None if object_id is None else self.get_visible(request, object_id)
            if not page.has_permission(request, self, record):
                raise PermissionDenied
            return page.view(request, self, record)

        return view

    def url(self, name: str, *args: Any) -> str:
        """Return the URL of a page, Django's own included."""
        opts = self.opts
        return reverse(f"admin:{opts.app_label}_{opts.model_name}_{name}", args=args)

    def get_visible(self, request: HttpRequest, object_id: str) -> Any:
        """Return a record that the user may view.

        Raises ``Http404`` where the list has none for the user, and ``PermissionDenied``.
        """
        record = self.get_object(request, object_id) if is_id(object_id) else None
        if record is None:
            raise Http404
        if not self.has_view_permission(request, record):
            raise PermissionDenied
        return record

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        buttons = [page.list_button(request, self) for page in self.pages]
        context = {"page_buttons": list(filter(None, buttons)), **(extra_context or {})}
        return super().changelist_view(request, context)

    def render_change_form(
        self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        record = kwargs.get("obj")
        if record is not None:
            buttons = [page.record_button(request, self, record) for page in self.pages]
            context["page_buttons"] = list(filter(None, buttons))
        return super().render_change_form(request, context, *args, **kwargs)

    def render_page(
        self,
        request: HttpRequest,
        template: str,
        *,
        title: str,
        status: int = 200,
        **context: Any,
    ) -> HttpResponse:
        return TemplateResponse(
            request,
            f"admin/calendar_events/{template}",
            {
                **self.admin_site.each_context(request),
                "title": title,
                "opts": self.opts,
                "list_url": self.url("changelist"),
                **context,
            },
            status=status,
        )
