#!/usr/bin/env python3
"""Check a plan and the proof that none is better: plain Python, for people who trust nobody.

    elsewhere plan album.csv --truth 17 --top 5 -o plan.json --proof proof.json
    python tools/check_proof.py plan.json proof.json album.csv

It imports nothing of elsewhere and rounds nothing. Scores are CSV: a line of column names, then for
each row its name and its scores. docs/method.md, "The proof", says why a proof is enough.
"""

import csv
import gzip
import hashlib
import json
import math
import struct
import sys
from collections import namedtuple
from fractions import Fraction
from pathlib import Path

STAY, GO, OPEN = "stay", "go", "open"
Node = namedtuple("Node", "shareable state holding uncounted")  # some of all plans


def require(condition, sentence):
    """Raise unless a condition holds."""
    if not condition:
        raise ValueError(sentence)


def units(number):
    """A float as a whole multiple of 2^-1074, exactly; None for minus infinity."""
    if float(number) == -math.inf:
        return None
    numerator, denominator = float(number).as_integer_ratio()
    return (numerator << 1074) // denominator


def fours(numbers, size=4):
    """Numbers in groups of four."""
    require(len(numbers) % size == 0, "numbers are missing")
    return [tuple(numbers[i : i + size]) for i in range(0, len(numbers), size)]


class Attacker:
    """What one attacker makes of rows of scores; impossible scores are None."""

    def __init__(self, against, table, photo_of):
        seal = hashlib.sha256(f"scores {len(table)} {len(table[0])}\n".encode())
        for row in table:
            require(len(row) == against["cells"], "the scores have another shape")
            seal.update(struct.pack(f"<{len(row)}d", *(number + 0.0 for number in row)))
        require(seal.hexdigest() == against["scores"], "these are other scores")
        require("circles" not in against, "this checks promises in cells only, not in circles")
        self.truth, self.need = set(against["truth"]), against["top"]
        self.alone = against["each_photo"]
        cells, rivals = set(range(against["cells"])), against["rivals"]
        self.rivals = cells - self.truth if rivals is None else set(rivals)
        require(self.truth and not self.rivals & self.truth, "rivals belong to the truth")
        self.margin, self.lead = units(against["margin"]), units(against["lead"])
        self.prior = [units(number) for number in against["prior"] or [0.0] * len(cells)]
        seen = against["sees"]
        self.seen = [seen is None or photo in seen for photo in photo_of]
        self.scores = [[units(number) for number in row] for row in table]

    def holding(self, rows, strict):
        """The rivals that are ahead of every cell of the truth when these rows are shared."""
        rows, total = [row for row in rows if self.seen[row]], {}
        for cell in self.rivals | self.truth:
            terms = [self.prior[cell], *(self.scores[row][cell] for row in rows)]
            total[cell] = None if None in terms else sum(terms)
        possible = [total[cell] for cell in self.truth if total[cell] is not None]
        if not possible:
            return {r for r in self.rivals if not strict or total[r] is not None}
        bar = max(possible) + len(rows) * self.margin + self.lead + strict
        return {r for r in self.rivals if total[r] is not None and total[r] >= bar}

    def zeros(self, rows, cell):
        """The rows that make a cell impossible where they are shared."""
        return {row for row in rows if self.seen[row] and self.scores[row][cell] is None}

    def is_certain(self, rows, cell):
        """Whether a cell stays possible whichever of these rows are shared."""
        return self.prior[cell] is not None and not self.zeros(rows, cell)


class Album:
    """The promise of a plan beside its scores."""

    def __init__(self, promise, tables):
        versions, photos = promise.get("versions"), promise["photos"]
        self.strict, self.budget = int(promise["strict"]), promise["budget"]
        self.photo_of = list(range(photos)) if versions is None else [v["photo"] for v in versions]
        self.unit_of, self.photos_of = list(range(photos)), {}
        for group in promise["groups"]:
            for photo in group:
                self.unit_of[photo] = min(group)
        for photo, unit in enumerate(self.unit_of):
            self.photos_of.setdefault(unit, []).append(photo)
        rows = range(len(self.photo_of))
        self.rows_of = [[r for r in rows if self.photo_of[r] == photo] for photo in range(photos)]
        self.values = [Fraction(value) for value in promise["values"] or [1] * photos]
        costs = [Fraction(v["cost"]) for v in versions] if versions else [0] * photos
        self.versions = versions is not None
        self.saved = [self.values[photo] - costs[row] for row, photo in enumerate(self.photo_of)]
        require(len(tables) == len(promise["against"]), "give the scores of each attacker")
        require({len(table) for table in tables} == {len(rows)}, "the scores have another shape")
        pairs = zip(promise["against"], tables, strict=True)
        self.attackers = [Attacker(against, table, self.photo_of) for against, table in pairs]
        stay, self.shareable = {self.unit_of[photo] for photo in promise["keep"]}, set(rows)
        for row in rows:  # rows that give the truth away alone
            for attacker in self.attackers:
                matters = self.unit_of[self.photo_of[row]] not in stay and attacker.seen[row]
                count = len(attacker.holding([row], self.strict)) if attacker.alone else 0
                if matters and attacker.alone and count < attacker.alone:
                    self.shareable.discard(row)
        bare = [p for p in range(photos) if self.shareable.isdisjoint(self.rows_of[p])]
        go = {self.unit_of[photo] for photo in [*promise["drop"], *bare]}
        self.shareable = {r for r in self.shareable if self.unit_of[self.photo_of[r]] not in go}
        self.state = {u: GO if u in go else STAY if u in stay else OPEN for u in self.photos_of}
        self.possible = not go & stay and len(go) < len(self.photos_of)
        if self.budget is None:  # attackers that differ only in their truth rank rivals alike
            merged = {}
            for number, against in enumerate(promise["against"]):
                alike = {k: v for k, v in against.items() if k not in ("truth", "each_photo")}
                key = number if against["rivals"] is None else json.dumps(alike, sort_keys=True)
                merged.setdefault(key, self.attackers[number]).truth |= set(against["truth"])
            self.attackers = list(merged.values())

    def cost(self, rows):
        """What a plan costs that shares these rows."""
        return sum(self.values) - sum(self.saved[row] for row in rows)


class Claim:
    """No plan lets `needs` rivals hold for each attacker and `total` in all, at a cost below."""

    def __init__(self, album, needs, total=0, below=None):
        self.album, self.needs, self.total = album, needs, total
        amounts = [*album.values, *album.saved]
        denominator = math.lcm(*(amount.denominator for amount in amounts))
        divisor = math.gcd(*(int(amount * denominator) for amount in amounts))
        self.scale = Fraction(denominator, divisor)  # makes costs whole
        self.saved = [int(amount * self.scale) for amount in album.saved]
        self.all, photos = int(sum(album.values) * self.scale), len(album.values)
        self.most = self.all if below is None else min(self.all, math.ceil(below * self.scale) - 1)
        self.budget = photos
        if album.budget is not None and album.versions:
            self.most = min(self.most, math.floor(Fraction(album.budget) * self.scale))
        elif album.budget is not None:
            self.budget = min(photos, album.budget)
        if album.possible and STAY not in album.state.values():  # at least one unit is kept
            least = []
            for unit, own in album.photos_of.items():
                if album.state[unit] == OPEN:
                    rows = [album.shareable.intersection(album.rows_of[photo]) for photo in own]
                    least.append([min(self.saved[row] for row in each) for each in rows])
            self.most = min(self.most, self.all - min(map(sum, least)))
            self.budget = min(self.budget, photos - min(map(len, least)))

    def check(self, tree):
        """Raise unless the tree proves the claim."""
        album = self.album
        root = Node(album.shareable.copy(), album.state.copy(), set(), set())
        waiting = [root if album.possible else None]
        for number, (prices, excluded, division) in enumerate(tree):
            require(waiting, f"node {number} is one too many")
            node = waiting.pop()
            children = [None] * (2 if len(division) == 1 else len(division) // 2)
            if node is not None and not self.close(node, prices, excluded):
                if not division:
                    require(self.is_refuted(node), f"node {number} is open")
                by_row = len(division) == 1
                children = self.share(node, *division) if by_row else self.choose(node, division)
            waiting += reversed(children)
        require(not album.possible or not waiting, "nodes are missing")

    def close(self, node, prices, excluded):
        """Whether a node has no plans by its prices, or by too few rivals that could hold."""
        rows, more = fours(prices[2:]), fours(excluded)
        require(len(prices) >= 2 and min(prices[:2]) >= 0, "a price is negative")
        for number, rival, cell, price in rows + more:
            attacker = self.attacker(number, rival)
            require(price >= 0 and cell in attacker.truth, "a row is wrong")
        if not self.reachable(node) or self.price(node, prices, rows):
            return True
        for row in more:
            trial = Node(*(part.copy() for part in node))
            trial.holding.add(row[:2])
            require(self.price(trial, prices, [*rows, row]), f"rival {row[1]} is not excluded")
        node.uncounted.update(row[:2] for row in more)
        return not self.reachable(node)

    def choose(self, node, division):
        """In each child another rival holds, and those before it are not counted."""
        children = []
        for rival in fours(division, 2):
            self.attacker(*rival)
            children.append(Node(*(part.copy() for part in node)))
            children[-1].holding.add(rival)
            node.uncounted.add(rival)
        require(not children or not self.reachable(node), "rivals are left out")
        return children

    def share(self, node, row):
        """A row is shared, or it is not."""
        album, other = self.album, Node(*(part.copy() for part in node))
        require(0 <= row < len(album.photo_of), "there is no such row")
        photo, is_shareable = album.photo_of[row], row in node.shareable
        node.state[album.unit_of[photo]] = STAY
        node.shareable.difference_update(set(album.rows_of[photo]) - {row})
        return [node if is_shareable else None, None if self.strike(other, {row}) else other]

    def attacker(self, number, rival):
        """An attacker by number, and a rival of his."""
        require(0 <= number < len(self.album.attackers), "there is no such attacker")
        require(rival in self.album.attackers[number].rivals, "a cell is no rival")
        return self.album.attackers[number]

    def reachable(self, node):
        """Whether enough rivals are counted."""
        left = [len(attacker.rivals) for attacker in self.album.attackers]
        for number, _ in node.uncounted:
            left[number] -= 1
        return all(map(int.__ge__, left, self.needs)) and sum(left) >= self.total

    def strike(self, node, rows):
        """These rows are not shared; whether that leaves no plan."""
        album, kept = self.album, set()
        node.shareable.difference_update(rows)
        for unit, photos in album.photos_of.items():
            own = [node.shareable.intersection(album.rows_of[photo]) for photo in photos]
            if node.state[unit] != GO and all(own):
                kept = kept.union(*own)
            elif node.state[unit] == STAY:
                return True
            else:
                node.state[unit] = GO
        node.shareable.intersection_update(kept)
        return not kept

    def price(self, node, prices, rows):
        """Whether priced inequalities leave no plan; if not, what they decide is decided."""
        album, one = self.album, 1 << 1074
        for number, rival in node.holding:  # a rival that holds is possible, where the truth is
            attacker = self.attacker(number, rival)
            certain = any(attacker.is_certain(node.shareable, cell) for cell in attacker.truth)
            zeros = attacker.zeros(node.shareable, rival) if album.strict or certain else ()
            never = attacker.prior[rival] is None and (album.strict or certain)
            if never or (zeros and self.strike(node, zeros)):
                return True
        gain = {row: (prices[0] * self.saved[row] + prices[1]) * one for row in node.shareable}
        value = prices[0] * (self.most - self.all) + prices[1] * (self.budget - len(album.values))
        value *= one
        for number, rival, cell, price in rows:
            attacker = self.attacker(number, rival)
            holds = (number, rival) in node.holding
            if price and not (holds and attacker.is_certain(node.shareable, cell)):
                return False  # no inequality that the plans fulfil
            for row in gain if price else ():
                if attacker.seen[row]:
                    ahead = (attacker.scores[row][rival] or 0) - attacker.scores[row][cell]
                    gain[row] += price * (ahead - attacker.margin)
            before = (attacker.prior[rival] or 0) - (attacker.prior[cell] or 0)
            value += price * (before - attacker.lead - album.strict)
        best, worth = {}, {}
        for unit, photos in album.photos_of.items():
            if node.state[unit] != GO:
                for photo in photos:
                    best[photo] = max(gain[r] for r in album.rows_of[photo] if r in gain)
                worth[unit] = sum(best[photo] for photo in photos)
                value += worth[unit] if node.state[unit] == STAY else max(0, worth[unit])
        if value < 0:
            return True
        lost = set()
        for row, each in gain.items():  # how far it is behind the best, its unit behind nothing
            unit = album.unit_of[album.photo_of[row]]
            short = max(0, -worth[unit]) if node.state[unit] == OPEN else 0
            if best[album.photo_of[row]] - each + short > value:
                lost.add(row)
        for unit, each in worth.items():
            if node.state[unit] == OPEN and each > value:
                node.state[unit] = STAY
        return self.strike(node, lost)

    def is_refuted(self, node):
        """Whether one plan is left, and it does not do what the claim says."""
        album, rows, counts = self.album, sorted(node.shareable), []
        if OPEN in node.state.values() or len({album.photo_of[r] for r in rows}) < len(rows):
            return False
        if album.cost(rows) * self.scale > self.most or len(album.values) - len(rows) > self.budget:
            return True
        for number, attacker in enumerate(album.attackers):
            held = {(number, rival) for rival in attacker.holding(rows, album.strict)}
            if any(rival not in held for rival in node.holding if rival[0] == number):
                return True
            counts.append(len(held - node.uncounted))
        return any(map(int.__lt__, counts, self.needs)) or sum(counts) < self.total


def check_plan(plan, album):
    """Raise unless the plan is one, and reaches what it says."""
    kept, bound = plan["kept"], Fraction(plan["bound"])
    rows = plan["choices"] if album.versions else kept
    units_kept = {album.unit_of[photo] for photo in kept}
    whole = sorted(photo for unit in units_kept for photo in album.photos_of[unit])
    others = sorted(set(range(len(album.values))) - set(whole))
    require(kept and [album.photo_of[row] for row in rows] == kept == whole, "photos differ")
    require(plan["withheld"] == others and album.shareable.issuperset(rows), "photos differ")
    for unit, state in album.state.items():
        require(state == OPEN or (state == STAY) == (unit in units_kept), "a pin is lost")
    cost, counts = album.cost(rows), [len(a.holding(rows, album.strict)) for a in album.attackers]
    require(cost == Fraction(plan["cost"]), "the cost is another")
    require(all(map(int.__ge__, counts, [a.need or 0 for a in album.attackers])), "rivals are few")
    if album.budget is not None:
        spent = cost if album.versions else len(others)
        require(spent <= Fraction(album.budget), "the budget is passed")
        require(counts == [view["protected_k"] for view in plan["views"]], "rivals differ")
    reached = cost if album.budget is None else min(counts)
    require(plan["status"] == "feasible" or reached == bound, "bound and plan do not meet")


def claims_of(plan, album):
    """What a plan says of all others."""
    needs = [attacker.need or 0 for attacker in album.attackers]
    found = plan["status"] != "infeasible"
    if album.budget is None or not found:
        return [Claim(album, needs, 0, Fraction(plan["bound"]) if found else None)]
    claims = [Claim(album, [int(plan["bound"]) + 1] * len(needs))]
    if plan["status"] == "optimal":
        counts = [view["protected_k"] for view in plan["views"]]
        needs = [min(counts)] * len(needs)
        claims += [Claim(album, needs, sum(counts) + 1)] * (len(needs) > 1)
        claims.append(Claim(album, needs, sum(counts), Fraction(plan["cost"])))
    return claims


def check(plan, proof, tables):
    """What was checked, as a sentence; ValueError with what is wrong."""
    found = plan["status"] in ("optimal", "feasible")
    require(found or plan["status"] == "infeasible", "there is nothing to prove")
    album = Album(plan["promise"], tables)
    if found:
        check_plan(plan, album)
    claims = claims_of(plan, album)
    require(proof["format"] == "elsewhere-proof/1", "this is no proof")
    require(len(proof["trees"]) == len(claims), "the proof is of another plan")
    for claim, tree in zip(claims, proof["trees"], strict=True):
        claim.check(tree)
    return "The plan holds, and none is better than its bound." if found else "There is no plan."


def read_json(path):
    """A JSON file, packed or not; of a certificate, the plan."""
    content = Path(path).read_bytes()
    values = json.loads(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content)
    return {**values["plan"], "promise": values["promise"]} if "plan" in values else values


def read_scores(path):
    """The rows of scores in a CSV file."""
    text = Path(path).read_text(encoding="utf-8-sig").split("\n")
    lines = list(csv.reader(line for line in text if not line.startswith("#")))
    return [[float(number) for number in line[1:]] for line in lines[1:] if line]


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit("check_proof.py PLAN PROOF SCORES.csv …")
    try:
        print(check(*map(read_json, sys.argv[1:3]), [*map(read_scores, sys.argv[3:])]))
    except (KeyError, TypeError, ValueError, IndexError) as problem:
        sys.exit(f"not proved: {problem}")
