"""Whose rights are more than whose: nobody gives, or takes over, what they do not hold."""

from typing import Any

from django.contrib.auth.models import Group, Permission
from django.db.models import Q, QuerySet

from authserver.models import User


def permissions_of(user: User) -> QuerySet[Permission]:
    """Return what the user holds, by roles or directly; also while disabled."""
    if user.is_superuser:
        return Permission.objects.all()
    held = Q(user=user) | Q(group__user=user)
    return Permission.objects.filter(held).distinct()


def exceed(user: User, other: Any) -> bool:
    """Return whether ``user`` may do anything that ``other`` may not."""
    if other.is_superuser:
        return False
    if user.is_superuser or (user.is_staff and not other.is_staff):
        return True
    more = permissions_of(user).exclude(pk__in=permissions_of(other).values("pk"))
    return more.exists()


def grantable_groups(user: Any) -> QuerySet[Group]:
    """Return the roles whose every permission the user holds."""
    beyond = Permission.objects.exclude(pk__in=permissions_of(user).values("pk"))
    return Group.objects.exclude(permissions__in=beyond).order_by("name")
