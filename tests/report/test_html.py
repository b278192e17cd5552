"""The page: every value given is shown, nothing else is, and no name becomes markup."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies as st

from elsewhere.audit import Leaking
from elsewhere.messages.phrases import chance, ordinal, signed
from elsewhere.report import page
from elsewhere.report.contents import (
    AttackerAccuracy,
    AttackerView,
    Contents,
    EditedPicture,
    Explanation,
    PhotoPicture,
    PhotoState,
    ReadText,
    SkippedReason,
)
from elsewhere.report.templating import POLICY
from elsewhere.values.versions import Edit, Rectangle
from elsewhere.values.wording import counted
from tests.report.makers import audit, contents, made_up_scores, preview
from tests.report.test_templating import read

HOSTILE = [
    '<script>alert("x")</script>.jpg',
    '"><img src=x onerror=alert(1)>.jpg',
    "'; DROP TABLE photos;--.jpg",
    "</title></style><h1>owned.jpg",
    "<!-- .jpg",
    "&lt;b&gt;.jpg",
    "\u202egpj.exe",
    "]]>.jpg",
]
BARE = Contents(
    album="a",
    verdict="v",
    holds=None,
    state="s",
    photos=(PhotoPicture("a.jpg", PhotoState.AUDITED),),
)


def text_of(html: str) -> str:
    """The words of a page, without its style."""
    return " ".join(read(re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL)).text.split())


def said(*words: str) -> str:
    return " ".join(" ".join(words).split())


def test_hostile_names_stay_text() -> None:
    made = contents(len(HOSTILE) + 2, 2, HOSTILE)
    calm = contents(len(HOSTILE) + 2, 2)
    bad, good = read(page(made)), read(page(calm))
    assert [name for name, _ in bad.elements] == [name for name, _ in good.elements]
    text = text_of(page(made))
    for name in HOSTILE:
        shown = name.replace("\u202e", "\ufffd")
        assert said(shown) in text


NAMES = st.text(st.characters(), min_size=1, max_size=30)


@settings(max_examples=60)
@given(NAMES)
def test_no_word_becomes_markup(word: str) -> None:
    """One hostile word everywhere a stranger's word can come to stand."""

    def filled(w: str) -> Contents:
        return Contents(
            album=w,
            verdict=w,
            holds=False,
            state=w,
            photos=(
                PhotoPicture(w, PhotoState.WITHHELD, b"x", -1.0, w),
                PhotoPicture(w + "2", PhotoState.SHARED, b"", 1.0),
            ),
            notes=(w,),
            explanation=Explanation(w, (w,)),
            limits=(w,),
            attackers=(AttackerAccuracy(w, 3, {w or "x": {25: 0.5}}, (), w),),
            leaks=(Leaking(w, (w,), (w, w)),),
            skipped=(SkippedReason(w, w),),
            command=w,
            origin={w: w},
        )

    hostile, calm = page(filled(word)), page(filled("calm"))
    assert [name for name, _ in read(hostile).elements] == [name for name, _ in read(calm).elements]
    hostile.encode("utf-8")
    keys = [sorted(attributes) for _, attributes in read(hostile).elements]
    assert keys == [sorted(attributes) for _, attributes in read(calm).elements]


def test_nothing_is_fetched_and_no_script_runs() -> None:
    html = page(contents(6, 2))
    assert (
        f'http-equiv="Content-Security-Policy" content="{POLICY.replace(chr(39), "&#39;")}"' in html
    )
    assert "default-src 'none'" in POLICY
    assert "script" not in html.lower()
    assert not re.search(r"""(?:src|href)=["'](?!data:image/jpeg;base64,|#)""", html)
    assert not re.search(r"url\(|@import|https?://(?!www\.w3\.org)", html)
    assert not re.search(r"\son[a-z]+=", html)


def test_it_is_marked_private() -> None:
    html = page(BARE)
    assert "<title>PRIVATE" in html
    assert text_of(html).count("PRIVATE") >= 2


def test_every_number_is_the_value_given() -> None:
    made = contents(9, 3)
    text = text_of(page(made))
    scene = made.views[0]
    assert scene.after is not None
    before, after = scene.before.truth, scene.after.truth
    assert before is not None
    assert after is not None
    assert made.verdict in text
    for note in (*made.notes, *made.limits):
        assert note in text
    assert said("shared 6 of 9").replace(" ", "") in text.replace(" ", "")
    assert f"{ordinal(before.rank)} → {ordinal(after.rank)}" in text
    for when, audit_, truth in (("Before", scene.before, before), ("After", scene.after, after)):
        caption = re.search(rf"{when}: (?:all )?(\d+) (?:shared )?photos\. (.*?) of 512", text)
        assert caption, when
        assert int(caption[1]) == len(audit_.ids)
        assert caption[2] == f"{truth.label} is {ordinal(truth.rank)}"
    assert f"rank of the place{ordinal(before.rank)}{ordinal(after.rank)}" in text
    zones = chance(before.probability), chance(after.probability)
    assert f"probability of the zone{said(zones[0])}{said(zones[1])}" in text
    for place in before.within:
        assert f"within {place.km:g} km" in text
        assert said(chance(place.chance)) in text
    for guess in scene.before.guesses[:6]:
        assert guess.name in text
        assert said(chance(guess.probability)) in text
    for decoy in scene.decoys:
        assert said(decoy.name, chance(decoy.probability)) in text
    for photo in made.photos:
        assert photo.gain is not None
        assert f"gives away {signed(-photo.gain)}" in text
    assert f"{signed(-before.shares.total)} in all" in text
    total = sum(photo.gain or 0.0 for photo in made.photos)
    assert total == pytest.approx(before.shares.total)
    for shares in made.attackers[0].accuracy.values():
        for share in shares.values():
            assert said(f"{100 * share:.1f}\u00a0%") in text
    for leak in made.leaks:
        assert leak.kind in text
        assert counted(len(leak.photos), "photo") in text
        assert all(example in text for example in leak.examples)
    for skipped in made.skipped:
        assert skipped.name in text
        assert skipped.reason in text
    assert made.command in text
    assert made.explanation is not None
    assert all(sentence in text for sentence in made.explanation.sentences)


def test_a_place_that_is_first_all_along_needs_no_chart() -> None:
    made = contents()
    scene = made.views[0]
    truth = scene.before.truth
    assert truth is not None and "How it sharpens" in text_of(page(made))
    flat = replace(truth.album_order, ranks=tuple(1 for _ in truth.album_order.ranks))
    first = replace(scene.before, truth=replace(truth, album_order=flat, worst_order=flat))
    text = text_of(page(replace(made, views=(replace(scene, before=first),))))
    assert "How it sharpens" not in text
    assert "it is the first guess from the first photo on." in text


def test_a_photo_is_called_by_what_tells_it_apart_and_by_its_whole_name_on_hover() -> None:
    names = ("2024 summer/phone/a.jpg", "2024 summer/camera/a.jpg", "2024 summer/camera/b.jpg")
    made = contents(5, 2, names)
    html = page(made)
    for called, name in zip(("phone/a.jpg", "camera/a.jpg", "b.jpg"), names, strict=True):
        assert f'<bdi class="name" title="{name}">{called}</bdi>' in html
        assert f"<title>{name}: gives away" in html
    assert not any(said(name) in text_of(re.sub("<title>.*?</title>", "", html)) for name in names)


def figures(html: str) -> dict[str, str]:
    """The numbers under the verdict, by what they are called."""
    found = re.search(r'<dl class="figures">(.*?)</dl>', html, re.DOTALL)
    assert found is not None
    pairs = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", found[1], re.DOTALL)
    return {text_of(name).strip(): text_of(told).strip() for name, told in pairs}


@pytest.mark.parametrize(
    ("right", "radius", "called", "within"),
    [
        ("within 25 km", 25.0, "a guess falls within 25 km", 0),
        ("within 200 km", 200.0, "a guess falls within 200 km", 1),
        ("within 60 km", 60.0, "a guess falls in a cell within 60 km", None),
        ("in Portugal", None, "a guess falls in Portugal", None),
    ],
)
def test_the_first_numbers_have_the_words_of_what_is_hidden(
    right: str, radius: float | None, called: str, within: int | None
) -> None:
    made = contents(8, 2)
    scene = replace(made.views[0], target=right, radius_km=radius)
    told = figures(page(replace(made, views=(scene,))))
    assert scene.before.truth is not None
    assert scene.after is not None
    assert scene.after.truth is not None
    chances = [
        truth.probability if within is None else truth.within[within].chance
        for truth in (scene.before.truth, scene.after.truth)
    ]
    assert told[called] == said(" → ".join(map(chance, chances)))
    assert sum(name.startswith("a guess falls") for name in told) == 1


def test_every_step_of_the_staircase_is_in_the_table() -> None:
    made = contents(12, 3)
    assert made.frontier is not None
    rows = re.findall(r"<tr[^>]*>((?:<td[^>]*>[^<]*</td>){4})</tr>", page(made))
    cells = [re.findall(r">([^<]*)</td>", row) for row in rows]
    greedy = dict(made.frontier.greedy)
    assert len(cells) == len(made.frontier.steps)
    for (n, reach, state, beside), step in zip(cells, made.frontier.steps, strict=True):
        assert int(n) == step.withheld
        assert reach == (
            str(step.protected) if step.proved else f"{step.protected} to {step.bound}"
        )
        assert state == ("proved" if step.proved else "open")
        assert int(beside) == greedy[step.withheld]


def test_an_audit_alone_is_a_report_too() -> None:
    """No plan, and even no place: the map and the guesses are still there."""
    names = ["a.jpg", "b.jpg"]
    for place in (True, False):
        seen = AttackerView(audit(made_up_scores(2), names, place=place), scope="all photos")
        made = replace(BARE, views=(seen,))
        html = page(made)
        assert seen.before.guesses[0].name in text_of(html)
        assert html.count("<svg") >= 3
        assert ("the place to hide" in html) == place
        assert "After" not in html


def test_what_is_missing_has_no_heading() -> None:
    html = text_of(page(BARE))
    for heading in ("Why this one", "What withholding buys", "Left out", "Metadata", "attacker"):
        assert heading not in html


def test_several_attackers_are_in_one_table() -> None:
    made = contents(6, 2)
    other = replace(made.views[0], scope="its own photos")
    text = text_of(page(replace(made, other_views=(other,))))
    assert "All that the promise is against" in text
    assert text.count("its own photos") == 1 + text.count("its own photos:")


def test_four_hundred_photos_weigh_less_than_five_megabytes() -> None:
    html = page(contents(400, 60))
    assert len(html.encode("utf-8")) < 5_000_000
    assert html.count("<img") == 401


def test_numbers_from_before_a_plan_never_pass_for_those_of_the_copy() -> None:
    """Of one place no photo is shared: another stands for all in the head of the page."""
    made = contents(12, 2)
    (scene,) = made.views
    assert scene.before.truth is not None and made.holds
    gone = replace(
        scene,
        before=replace(scene.before, truth=replace(scene.before.truth, label="Gone")),
        after=None,
        decoys=(),
    )
    text = text_of(page(replace(made, views=(gone, scene), other_views=(gone,))))
    head = text[: text.index("Gone · attacker")]
    assert f"rank of {scene.before.truth.label}" in head and "rank of Gone" not in head
    assert "→" in head
    part = text[
        text.index("Gone · attacker") : text.index(f"{scene.before.truth.label} · attacker")
    ]
    assert "after: none of its photos is shared" in part
    assert "After: none of its photos is shared" in part
    assert "Before: all" in part and "As it is" not in part and "as it is" not in part
    rank = ordinal(scene.before.truth.rank)
    assert f"{rank} → –" in text[text.index("All that the promise is against") :]
    alone = text_of(page(replace(made, views=(gone,))))
    assert "Gonehidden none of its photos is shared" in alone and "rank of Gone" not in alone


def test_an_audit_alone_is_told_as_it_is() -> None:
    (scene,) = contents(12, 2).views
    text = text_of(page(replace(BARE, views=(replace(scene, after=None),))))
    assert "As it is" in text and "none of its photos" not in text


def test_what_did_not_change_is_told_once_and_where_the_stairs_begin() -> None:
    made = contents(12, 2)
    (scene,) = made.views
    same = replace(scene, after=scene.before)
    text = text_of(page(replace(made, views=(same,), other_views=(same,))))
    assert scene.before.truth is not None
    rank = ordinal(scene.before.truth.rank)
    assert f"{rank} → {rank}" not in text
    assert made.frontier is not None
    assert "so many are withheld in any case" not in text
    later = replace(made.frontier, steps=made.frontier.steps[3:])
    told = text_of(page(replace(made, frontier=later)))
    assert "It begins at 3, because so many are withheld in any case." in told


def test_an_edited_photo_is_shown_before_and_after_with_what_it_was_worth() -> None:
    made = contents(9, 3)
    number = next(n for n, photo in enumerate(made.photos) if photo.state == PhotoState.SHARED)
    edit = Edit(Rectangle(0, 0, 800, 1000), (Rectangle(100, 250, 300, 750),))
    photo = replace(
        made.photos[number],
        state=PhotoState.EDITED,
        gain=-3.5,
        edited=EditedPicture(edit, preview(77), -0.25),
        note="as 0004.jpg",
    )
    html = page(replace(made, photos=(*made.photos[:number], photo, *made.photos[number + 1 :])))
    assert figures(html)["shared"] == "6 of 9, 1 of them edited"
    part = re.search(r'<li class="photo edited">(.*?)</li>', html, re.DOTALL)
    assert part is not None
    assert part[1].count("<img ") == 2 and "left:10%;top:25%;width:20%;height:50%" in part[1]
    told = text_of(part[1])
    assert "cropped and covered, 30 % of the picture, as 0004.jpg" in told
    assert f"Gives away {signed(3.5)} as it is, {signed(0.25)} as it goes out." in told
    assert "Shared as they are: 5 photos" in text_of(html)


def test_text_on_photos_is_shown_and_never_run() -> None:
    hostile = "“<script>alert(1)</script>{{ 7*7 }}”"
    texts = (ReadText("“Avignon”", "Avignon, France", True), ReadText(hostile))
    photo = PhotoPicture("a<b>.jpg", PhotoState.WITHHELD, texts=texts)
    html = page(replace(BARE, photos=(photo,)))
    assert "“Avignon”" in html and "near what is hidden" in html
    assert "<script>alert" not in html and "&lt;script&gt;alert(1)" in html
    assert "{{ 7*7 }}" in html and "<b>.jpg" not in html
