"""The addresses of the project with django-allauth."""

from django.urls import include, path

urlpatterns = [path("accounts/", include("allauth.urls")), path("_allauth/", include("allauth.headless.urls"))]
