"""Small programs with a construct of Python each: to be run plainly and watched, with the same outcome."""

from __future__ import annotations

from textwrap import dedent

_TEXT = """
# short circuits
log = []
def say(n, r=None):
    log.append(n)
    return r
r = say(1, 0) and say(2)
q = say(3, 1) or say(4)
n = not [] and (1 if [] else 2)
# comprehensions
r = [i * j for i in range(3) if i % 2 == 0 for j in (i, 10) if j]
d = {k: v for k, v in zip('ab', [1, 2])}
s = {c for c in 'aab'}
g = list(c * 2 for c in 'ab')
# lambda and stars
f = lambda a, *b, c=2, **d: (a, b, c, d)
r = f(1, *[2, 3], c=4, **{'e': 5})
t = (lambda: [x for x in range(2)])()
u = sorted([3, 1, 2], key=lambda v: -v)
# walrus
r = (n := 10) + n
s = [m := k for k in (1, 2)]
# augmented
a = [1, 2, 3]
b = a
a += [4]
a[0] += 10
a[1:3] = [7]
r = (a, b, a is b)
# class
class C:
    z = 3
    def m(self, k=z):
        return super().__repr__()[:2] + str(k)
c = C()
c.z += 2
r = (c.z, C.z, c.m()[-1])
# targets
a, (b, *c) = 1, (2, 3, 4)
d = e = [0]
d[0] = 5
x = [0, 0]
x[0], x[1] = 1, 2
for x[0] in range(3):
    pass
r = [a, b, c, d, e, x]
# formatted
n = 3
r = f'{n + 1:>{n * 2}} {n!r} {[k for k in range(n)]} {n=}'
# chained comparison
r = 1 < 2 < 3 > 0
s = 1 < 0 < undefined_name
# loops
r = []
for k in range(5):
    if k == 1: continue
    if k == 4: break
    r.append(k)
else:
    r.append('else')
while k < 6:
    k += 1
else:
    r.append('done')
# errors
r = []
try:
    r.append(1 / 0)
except (ValueError, ZeroDivisionError) as e:
    r.append(str(e))
else:
    r.append('no')
finally:
    r.append('end')
try:
    [][1]
except* IndexError as e:
    r.append(len(e.exceptions))
# generators
def gen():
    got = yield 1
    yield got
g = gen()
r = [next(g), g.send(5)]
# match
match {'a': 1, 'b': [2, 3]}:
    case {'a': 1, 'b': [p, *q]} if p > 1:
        r = (p, q)
# context managers
from contextlib import contextmanager, suppress
@contextmanager
def cm():
    yield 7
with cm() as got, suppress(ZeroDivisionError):
    r = got
    got / 0
# items
d = {'a': {}}
d['a']['b'] = 1
d['a']['b'] -= 5
r = dict(d['a'])
del d['a']['b']
# annotations
x: int = 5
r: 'list[int]' = [x]
assert x == 5, 'never'
# operators
q = -3 ** 2, ~5, +1, 7 // 2, 7 % 4, 1 << 3, 6 & 3 | 8 ^ 1
r = 2 in [1, 2], 3 not in (3,), q is q, q is not None
# printing
import functools
r = functools.reduce(lambda a, b: a * 10 + b, [1, 2, 3])
print(r, *[1, 2], sep='-')
# displays
r = [*range(2), *'ab']
s = {**{'a': 1}, 'b': 2}
t = max(*[1, 5], 3, key=lambda v: -v)
# order in a store
i = 0
a = [0, 0, 0]
def at():
    global i
    i += 1
    return i
a[at()] = at()
r = (a, i)
# warnings
import warnings
with warnings.catch_warnings(record=True) as _:
    warnings.simplefilter('always')
    warnings.warn('w')
r, _ = _[0].lineno, None
# frames
import sys
r = sys._getframe().f_lineno, sys._getframe().f_code.co_name
s = sorted(k for k in locals() if len(k) == 1)
# slices
a = list(range(10))
r = a[1:], a[:2], a[::3], a[-1:0:-2], a[slice(2, 4)], 'abc'[1]
"""


def _programs() -> dict[str, str]:
    found: dict[str, str] = {}
    name = ""
    for line in dedent(_TEXT).strip().splitlines():
        if line.startswith("# "):
            name = line[2:]
            found[name] = ""
        else:
            found[name] += line + "\n"
    return found


PROGRAMS = _programs()
