"""Folders of related CSV files, about 1,000 rows each, made from a seed: a trading firm and a hospital.

Names are put together from syllables, so that nothing of a public data set is in them.
"""

import csv
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from random import Random

SEED = 20_260_730
Row = dict[str, object]
Tables = Mapping[str, Sequence[Row]]

FIRST = ("Ada", "Bram", "Cora", "Dirk", "Edda", "Finn", "Greta", "Hugo", "Inga", "Jonas", "Karin", "Lars", "Mona")
LAST = ("Aldous", "Birk", "Corvin", "Dahl", "Ekman", "Faber", "Garland", "Holt", "Ivers", "Jansen", "Kessel", "Lund")
FIRM = ("Alder", "Bramble", "Cedar", "Dune", "Elm", "Fjord", "Granite", "Heron", "Iris", "Juniper", "Kestrel", "Linden")
FIRM_END = ("Trading", "Foods", "Supply", "Imports", "Partners")
CITIES = {"Bergen": "Norway", "Lyon": "France", "Porto": "Portugal", "Graz": "Austria", "Ghent": "Belgium"}
CITIES |= {"Turin": "Italy", "Leeds": "UK", "Aarhus": "Denmark", "Malmo": "Sweden", "Nantes": "France"}
GOODS = (
    "Barley",
    "Clove",
    "Fig",
    "Ginger",
    "Honey",
    "Juniper",
    "Lentil",
    "Maple",
    "Nutmeg",
    "Olive",
    "Pepper",
    "Quince",
)
GOODS_END = ("Syrup", "Cake", "Jam", "Tea", "Bread", "Sauce")
KINDS = ("Beverages", "Condiments", "Confections", "Dairy", "Grains", "Meat", "Produce", "Seafood")
TITLES = ("Sales Representative", "Sales Manager", "Clerk", "Accountant")
SHIPPERS = ("Swift Parcel", "Harbor Freight", "Polar Express", "United Haulage")
CARE = ("Cardiology", "Neurology", "Oncology", "Pediatrics", "Surgery", "Radiology", "Urology", "Dermatology")
DRUG = ("Abri", "Belo", "Ceta", "Dori", "Evo", "Fena", "Gali", "Hexa", "Ivo", "Juva")
DRUG_END = ("zol", "mycin", "pril", "statin", "dine")
BLOOD = ("A", "B", "AB", "0")
OLDEST = date(2024, 1, 1)


def pairs(random: Random, first: Sequence[str], second: Sequence[str], count: int) -> list[str]:
    """Return different names of two parts."""
    every = [f"{one} {other}" for one in first for other in second]
    return random.sample(every, count)


def day(random: Random) -> date:
    """Return a day of two years."""
    return OLDEST + timedelta(days=random.randrange(700))


def trading() -> Tables:
    """Return the eight tables of a trading firm."""
    random = Random(SEED)
    firms = pairs(random, FIRM, FIRM_END, 60)
    places = list(CITIES)
    customers: list[Row] = [
        {
            "customerID": firm.replace(" ", "")[:4].upper() + "ABCDE"[FIRM_END.index(firm.split()[1])],
            "companyName": firm,
        }
        | address(random, places)
        for firm in firms[:40]
    ]
    suppliers: list[Row] = [
        {"supplierID": at, "companyName": firm} | address(random, places) for at, firm in enumerate(firms[40:], 1)
    ]
    categories: list[Row] = [
        {"categoryID": at, "categoryName": name, "description": f"All kinds of {name.lower()}"}
        for at, name in enumerate(KINDS, 1)
    ]
    products: list[Row] = [
        {
            "productID": at,
            "productName": name,
            "supplierID": min(random.randint(1, 20), random.randint(1, 20)),
            "categoryID": random.randint(1, 8),
            "unitPrice": round(random.uniform(3, 120), 2),
            "unitsInStock": random.randint(0, 120),
            "discontinued": int(random.random() < 0.1),
        }
        for at, name in enumerate(pairs(random, GOODS, GOODS_END, 65), 1)
    ]
    employees: list[Row] = [
        {
            "employeeID": at,
            "employeeName": name,
            "title": random.choice(TITLES),
            "hireDate": day(random),
            "city": random.choice(places),
            "reportsTo": "" if at == 2 else 2 if at < 7 else random.choice((1, 5)),
        }
        for at, name in enumerate(pairs(random, FIRST, LAST, 14), 1)
    ]
    shippers: list[Row] = [
        {"shipperID": at, "companyName": name, "phone": phone(random)} for at, name in enumerate(SHIPPERS, 1)
    ]
    orders: list[Row] = [order(random, 10_248 + at, customers) for at in range(240)]
    lines: list[Row] = [
        {
            "orderID": one["orderID"],
            "productID": number,
            "unitPrice": products[number - 1]["unitPrice"],
            "quantity": random.randint(1, 60),
            "discount": random.choice((0, 0, 0.05, 0.1)),
        }
        for one in orders
        for number in sorted(random.sample(range(1, 66), random.randint(1, 4)))
    ]
    return {
        "customers": customers,
        "suppliers": suppliers,
        "categories": categories,
        "products": products,
        "employees": employees,
        "shippers": shippers,
        "orders": orders,
        "order_lines": lines,
    }


def order(random: Random, number: int, customers: Sequence[Row]) -> Row:
    """Return one order."""
    ordered = day(random)
    return {
        "orderID": number,
        "customerID": random.choice(customers)["customerID"],
        "employeeID": random.randint(1, 14),
        "orderDate": ordered,
        "shippedDate": ordered + timedelta(days=random.randint(1, 20)) if random.random() < 0.95 else "",
        "shipperID": random.randint(1, 4),
        "freight": round(random.uniform(2, 300), 2),
    }


def code(firm: str) -> str:
    """Return the key of a customer: five letters."""
    first, last = firm.split()
    return f"{first}{last}"[:4].upper() + "ABCDE"[FIRM_END.index(last)]


def address(random: Random, places: Sequence[str]) -> Row:
    """Return where a firm is, and who answers there."""
    city = random.choice(places)
    contact = f"{random.choice(FIRST)} {random.choice(LAST)}son"
    return {"contactName": contact, "city": city, "country": CITIES[city], "phone": phone(random)}


def phone(random: Random) -> str:
    """Return a telephone number."""
    return f"(0{random.randint(10, 99)}) 555-{random.randint(1000, 9999)}"


def hospital() -> Tables:
    """Return the eight tables of a hospital, to tune on."""
    random = Random(SEED + 6)
    doctors: list[Row] = [
        {
            "doctor_id": at,
            "doctor_name": f"Dr. {name}",
            "department_id": random.randint(1, 8),
            "supervisor_id": "" if at < 4 else random.randint(1, 3),
            "hired_on": day(random),
            "salary": random.randint(4_000, 12_000),
        }
        for at, name in enumerate(pairs(random, FIRST, LAST, 36), 1)
    ]
    departments: list[Row] = [
        {"department_id": at, "department_name": name, "floor": random.randint(1, 6), "head_id": 3 + at}
        for at, name in enumerate(CARE, 1)
    ]
    wards: list[Row] = [
        {
            "ward_id": at,
            "ward_name": f"{random.choice(GOODS)} Ward {'ABCDEFGHIJKLMNOPQRSTUVWX'[at - 1]}",
            "department_id": random.randint(1, 8),
            "beds": random.randint(4, 30),
            "closed": int(random.random() < 0.2),
        }
        for at in range(1, 25)
    ]
    patients: list[Row] = [
        {
            "patient_id": f"P{at:04}",
            "patient_name": name,
            "birth_date": date(1940, 1, 1) + timedelta(days=random.randrange(25_000)),
            "city": random.choice(list(CITIES)),
            "blood_type": random.choice(BLOOD),
        }
        for at, name in enumerate(pairs(random, FIRST, [f"{one}sen" for one in LAST], 110), 1)
    ]
    makers: list[Row] = [
        {"manufacturer_id": at, "company_name": f"{name} Pharma", "country": random.choice(("France", "Italy", "UK"))}
        | {"phone": phone(random)}
        for at, name in enumerate(FIRM, 1)
    ]
    drugs: list[Row] = [
        {
            "drug_id": at,
            "drug_name": name.replace(" ", ""),
            "manufacturer_id": min(random.randint(1, 12), random.randint(1, 12)),
            "price": round(random.uniform(1, 100), 2),
            "withdrawn": int(random.random() < 0.15),
        }
        for at, name in enumerate(pairs(random, DRUG, DRUG_END, 45), 1)
    ]
    admissions: list[Row] = [
        {
            "admission_id": 1_000 + at,
            "patient_id": random.choice(patients)["patient_id"],
            "doctor_id": random.randint(1, 36),
            "ward_id": random.randint(1, 24),
            "admitted_on": day(random),
            "cost": round(random.uniform(200, 9_000), 2),
        }
        for at in range(250)
    ]
    prescriptions: list[Row] = [
        {
            "admission_id": one["admission_id"],
            "drug_id": number,
            "dose": random.choice((5, 10, 20, 50)),
            "days": random.randint(1, 21),
        }
        for one in admissions
        for number in sorted(random.sample(range(1, 46), random.randint(1, 3)))
    ]
    return {
        "doctors": doctors,
        "departments": departments,
        "wards": wards,
        "patients": patients,
        "manufacturers": makers,
        "drugs": drugs,
        "admissions": admissions,
        "prescriptions": prescriptions,
    }


def write_folder(tables: Tables, folder: Path) -> Path:
    """Write each table as a CSV file and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in tables.items():
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    return folder


FOLDERS: Mapping[str, Callable[[], Tables]] = {"trading": trading, "hospital": hospital}
