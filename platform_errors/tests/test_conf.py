"""How every app reads its dictionary of settings."""

from platform_errors.conf import Conf, Setting, conf, texts


class ExampleConf(Conf):
    dictionary = "EXAMPLE"

    names = Setting((), texts)
    pause = Setting("2", int, name="PAUSE_SECONDS")


def test_what_is_not_set_has_its_default_converted():
    example = ExampleConf()

    assert (example.names, example.pause) == ((), 2)


def test_what_is_set_is_read_at_every_use(settings):
    example = ExampleConf()
    settings.EXAMPLE = {"PAUSE_SECONDS": "3"}
    first = example.pause
    settings.EXAMPLE = {"NAMES": ["a"], "PAUSE_SECONDS": 4}

    assert (first, example.pause, example.names) == (3, 4, ("a",))


def test_the_defaults_can_be_listed():
    assert ExampleConf.defaults() == {"NAMES": (), "PAUSE_SECONDS": "2"}
    assert conf.defaults()["MAX_CLOCK_SKEW_SECONDS"] == 300
