"""Units that values and headers of tables have, and their sizes: 31 ft is less than 12 m."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

# Each dimension's units with how many of the first unit one of them is.
TABLE = """
m=1 meter=1 meters=1 metre=1 metres=1 km=1000 kilometers=1000 kilometres=1000 cm=0.01 mm=0.001 in=0.0254 inch=0.0254
inches=0.0254 ft=0.3048 foot=0.3048 feet=0.3048 yd=0.9144 yards=0.9144 mi=1609.344 mile=1609.344 miles=1609.344
nmi=1852 米=1 公尺=1 千米=1000 公里=1000 厘米=0.01 毫米=0.001 英尺=0.3048 英寸=0.0254 英里=1609.344 海里=1852 里=500
| kg=1 g=0.001 mg=0.000001 t=1000 ton=1000 tons=1000 tonne=1000 tonnes=1000 lb=0.45359237 lbs=0.45359237
pounds=0.45359237 oz=0.028349523 千克=1 公斤=1 克=0.001 毫克=0.000001 吨=1000 斤=0.5 两=0.05 磅=0.45359237
| m2=1 m²=1 sqm=1 km2=1000000 km²=1000000 ha=10000 hectares=10000 acre=4046.8564 acres=4046.8564 sq_ft=0.09290304
ft2=0.09290304 ft²=0.09290304 sq_mi=2589988.1 平方米=1 平方千米=1000000 平方公里=1000000 公顷=10000 亩=666.6667
| l=1 litre=1 litres=1 liter=1 liters=1 ml=0.001 m3=1000 m³=1000 gal=3.785411784 升=1 毫升=0.001 立方米=1000
| s=1 sec=1 seconds=1 min=60 mins=60 minutes=60 h=3600 hr=3600 hrs=3600 hour=3600 hours=3600 days=86400 day=86400
weeks=604800 秒=1 分=60 分钟=60 小时=3600 天=86400 周=604800
| km/h=1 kmh=1 kph=1 mph=1.609344 kn=1.852 knots=1.852 m/s=3.6 公里/小时=1 千米/时=1 节=1.852
"""
UNITS: Mapping[str, tuple[int, float]] = {
    name.replace("_", " "): (dimension, float(size))
    for dimension, row in enumerate(TABLE.split("|"))
    for name, size in (one.split("=") for one in row.split())
}
NUMBER = re.compile(
    r"[^\d.,+-]{0,4}\s*(?P<number>[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[+-]?\d+(?:\.\d+)?)\s*(?P<unit>k?m[23]|ft2|\D{0,8})"
)
IN_BRACKETS = re.compile(r"[（(\[](?P<unit>[^）)\]]+)[）)\]]\s*$")


def number_in(value: Any, unit: str = "") -> float | None:
    """Return the number of a value with its unit or currency, $1,200.50 or 180 t; None for any other text.

    In `unit`, where both units are known and of one dimension; a value without a unit is in it already.
    """
    if isinstance(value, int | float):
        return float(value)
    found = NUMBER.fullmatch(str(value).strip())
    if found is None:
        return None
    number = float(found["number"].replace(",", ""))
    own, wanted = UNITS.get(plain(found["unit"])), UNITS.get(unit)
    return number * own[1] / wanted[1] if own and wanted and own[0] == wanted[0] else number


def unit_of(label: str, values: Iterable[Any] = ()) -> str:
    """Return the unit of a column: that of its label, depth_m or 深度（米）, else of the first value that has one."""
    bracketed = IN_BRACKETS.search(label)
    last = bracketed["unit"] if bracketed else re.split(r"[\s_]+", label.strip())[-1]
    if plain(last) in UNITS and plain(last) != plain(label):
        return plain(last)
    found = (NUMBER.fullmatch(one.strip()) for one in values if isinstance(one, str))
    return next((unit for one in found if one and (unit := plain(one["unit"])) in UNITS), "")


def plain(unit: str) -> str:
    return unit.strip().strip(".").lower()
