"""The addresses of the project with django-otp-webauthn."""

from django.urls import include, path

urlpatterns = [path("webauthn/", include("django_otp_webauthn.urls", namespace="otp_webauthn"))]
