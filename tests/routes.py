"""The routes of the site, for tests that leave none out."""

from django.urls import URLPattern, get_resolver


def routes_of_the_site() -> list[str]:
    """Every route as it was written, with its names in angle brackets, without patterns."""
    found, rest = [], [("", get_resolver().url_patterns)]
    while rest:
        start, patterns = rest.pop()
        for item in patterns:
            route = start + str(item.pattern)
            if isinstance(item, URLPattern):
                found.append(route)
            else:
                rest.append((route, item.url_patterns))
    return sorted({route for route in found if "^" not in route})


def own_routes() -> list[str]:
    """Every route but those of Django's administration."""
    return [route for route in routes_of_the_site() if not route.startswith("admin/")]
