"""How every app reads its dictionary of settings."""

from django.test import override_settings

from platform_errors.conf import Conf, Setting, conf, texts


class ExampleConf(Conf):
    dictionary = "EXAMPLE"

    names = Setting((), texts)
    pause = Setting("2", int, name="PAUSE_SECONDS")


def test_what_is_not_set_has_its_default_converted():
    example = ExampleConf()

    assert (example.names, example.pause) == ((), 2)


def test_what_is_set_anew_is_read_anew(settings):
    example = ExampleConf()
    settings.EXAMPLE = {"PAUSE_SECONDS": "3"}
    first = example.pause
    settings.EXAMPLE = {"NAMES": ["a"], "PAUSE_SECONDS": 4}

    assert (first, example.pause, example.names) == (3, 4, ("a",))


def test_an_override_ends():
    example = ExampleConf()
    with override_settings(EXAMPLE={"PAUSE_SECONDS": 3}):
        within = example.pause

    assert (within, example.pause) == (3, 2)


def test_what_is_set_is_converted_once(settings):
    example = ExampleConf()
    settings.EXAMPLE = {"NAMES": ["a"]}

    assert example.names is example.names


def test_the_defaults_can_be_listed():
    assert ExampleConf.defaults() == {"NAMES": (), "PAUSE_SECONDS": "2"}
    assert conf.defaults()["MAX_CLOCK_SKEW_SECONDS"] == 300
