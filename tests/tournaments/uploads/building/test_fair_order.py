"""The order of builds: owners take turns."""

from __future__ import annotations

from polynya_store.bots.upload_rows import Upload
from polynya_tournaments.uploads.building.fair_order import LONG_S, FairOrder, Slots


def waiting(*labels: str) -> list[Upload]:
    """Uploads in this order, each written ``BOT`` or ``BOT/NETWORK``."""
    return [
        Upload(
            number=number,
            bot=label.partition("/")[0],
            version="1",
            language="c",
            games=("packeis",),
            sha256="",
            uploaded_ms=number,
            state="received",
            detail=None,
            build_log=None,
            program=None,
            decided_ms=None,
            plays=False,
            again=None,
            changed_ms=None,
            archive_bytes=None,
            program_bytes=None,
            network=label.partition("/")[2] or None,
            replay=None,
        )
        for number, label in enumerate(labels)
    ]


def served(uploads: list[Upload]) -> list[str]:
    """The bots in the order in which they are built."""
    order, bots = FairOrder(), []
    while (chosen := order.next(uploads)) is not None:
        uploads = [upload for upload in uploads if upload.number != chosen.number]
        bots.append(chosen.bot)
    return bots


def test_ten_uploads_of_one_owner_do_not_delay_the_first_of_another() -> None:
    assert served(waiting(*["ann"] * 10, "bob"))[:3] == ["ann", "bob", "ann"]


def test_many_names_of_one_network_are_one_owner() -> None:
    uploads = waiting("ann1/n", "ann2/n", "ann3/n", "bob/m", "bob/m")

    assert served(uploads) == ["ann1", "bob", "ann2", "bob", "ann3"]


def test_bots_of_one_owner_take_turns() -> None:
    assert served(waiting("a/n", "a/n", "b/n", "c/n")) == ["a", "b", "c", "a"]


def test_an_owner_that_comes_again_and_again_waits_for_those_who_came_before() -> None:
    order = FairOrder()
    first, bob, again = waiting("ann", "bob", "ann")

    assert order.next([first]) == first
    assert order.next([bob, again]) == bob


def test_an_owner_of_whom_one_is_built_waits() -> None:
    uploads = waiting("ann", "ann", "bob")

    assert [one and one.bot for one in (FairOrder().next(uploads, {"ann"}),)] == ["bob"]
    assert FairOrder().next(uploads, {"ann", "bob"}) is None


def test_build_that_takes_long_keeps_no_other_waiting() -> None:
    ann, bob = waiting("ann", "bob")
    slots = Slots(1)

    slots.take(ann, 0)
    assert [slots.has_room(0), slots.has_room(LONG_S)] == [False, True]
    slots.take(bob, LONG_S)
    assert not slots.has_room(3 * LONG_S)
    slots.free(ann)
    assert slots.has_room(3 * LONG_S)
    assert list(slots.owners) == [bob.owner]
