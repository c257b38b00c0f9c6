"""24 questions to each folder of `table_folders`, 12 English and 12 Chinese, with answers counted from the rows.

They were written before any was tried; the hospital is for tuning, the trading firm for the figure.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.table_folders import Row, Tables

MARKS = re.compile(r"\s?\[\d+\]")
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
CENT = 0.006
LONGEST = 200  # characters of an answer to one value: more is a row


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its answer: a number, a text, or all names of a list and none beside them.

    Attributes:
        among: names of which no other may be told.
    """

    text: str
    number: float | None = None
    names: frozenset[str] = frozenset()
    among: frozenset[str] = frozenset()

    def is_right(self, answer: str) -> bool:
        """Return True if an answer tells just what is asked; its first number that is not asked with is the one."""
        told = MARKS.sub("", answer)
        if self.number is not None:
            given = NUMBER.findall(self.text)
            names = re.compile("|".join(re.escape(one) for one in sorted(self.among, key=len, reverse=True)) or "(?!)")
            found = [one for one in NUMBER.findall(names.sub(" ", told)) if one not in given]
            return bool(found) and abs(float(found[0].replace(",", "")) - self.number) < CENT
        others = {one for one in self.among if one not in self.names and one not in self.text}
        return all(one in told for one in self.names) and not any(one in told for one in others)


class Rows:
    """The rows of tables, looked up."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    def where(self, table: str, **wanted: object) -> list[Row]:
        """Return the rows with these values."""
        return [row for row in self.tables[table] if all(row[name] == value for name, value in wanted.items())]

    def one(self, table: str, **wanted: object) -> Any:
        """Return the one row with these values."""
        (row,) = self.where(table, **wanted)
        return row

    def every(self, table: str, column: str) -> frozenset[str]:
        """Return all values of a column."""
        return frozenset(str(row[column]) for row in self.tables[table])

    def end(self, table: str, column: str, of: str, *, upper: bool) -> Any:
        """Return the key that most, or fewest, rows of a table have. Raises ValueError where two are equal."""
        counts = Counter(row[column] for row in self.tables[table])
        for row in self.tables[of]:
            counts.setdefault(row[column], 0)
        order = counts.most_common()
        first, second = (order[0], order[1]) if upper else (order[-1], order[-2])
        if first[1] == second[1]:
            raise ValueError(f"{table}.{column}: two ends")
        return first[0]


def total(rows: Iterable[Mapping[str, Any]], column: str) -> float:
    """Return the sum of a column."""
    return float(sum(row[column] for row in rows))


def trading_questions(tables: Tables) -> list[Question]:
    """Return the questions to the trading firm."""
    rows = Rows(tables)
    products, people = rows.every("products", "productName"), rows.every("employees", "employeeName")
    firms, sellers = rows.every("customers", "companyName"), rows.every("suppliers", "companyName")
    carriers = rows.every("shippers", "companyName")
    customer, other = tables["customers"][7], tables["customers"][21]
    maple, fig = tables["products"][10], tables["products"][28]
    boss, clerk, seller = tables["employees"][4], tables["employees"][8], tables["suppliers"][5]
    order, second = tables["orders"][33], tables["orders"][120]
    kind, last_kind = tables["categories"][2], tables["categories"][6]

    def product_names(found: Iterable[Mapping[str, Any]]) -> frozenset[str]:
        return frozenset(str(row["productName"]) for row in found)

    def lines_of(number: object) -> frozenset[str]:
        lines = rows.where("order_lines", orderID=number)
        return frozenset(rows.one("products", productID=line["productID"])["productName"] for line in lines)

    def name(table: str, column: str, **wanted: object) -> frozenset[str]:
        return frozenset([str(rows.one(table, **wanted)[column])])

    top = max(tables["products"], key=lambda row: float(str(row["unitPrice"])))
    scarce = [row for row in tables["products"] if int(str(row["unitsInStock"])) < 10]
    in_kind = rows.where("products", categoryID=last_kind["categoryID"])
    buyer = rows.end("orders", "customerID", "customers", upper=True)
    idle = rows.end("orders", "employeeID", "employees", upper=False)
    main = rows.end("products", "supplierID", "suppliers", upper=True)
    stopped = rows.where("products", discontinued=1)
    freight = total(rows.where("orders", customerID=customer["customerID"]), "freight")
    lines = rows.where("order_lines", productID=fig["productID"])
    return [
        Question("What is the unit price of product 17?", number=rows.one("products", productID=17)["unitPrice"]),
        Question(
            f"Which country is customer {other['customerID']} from?",
            names=frozenset([str(other["country"])]),
            among=rows.every("customers", "country"),
        ),
        Question(
            f"Who supplies {maple['productName']}?",
            names=name("suppliers", "companyName", supplierID=maple["supplierID"]),
            among=sellers | firms,
        ),
        Question(
            f"Who reports to {boss['employeeName']}?",
            names=frozenset(str(row["employeeName"]) for row in rows.where("employees", reportsTo=boss["employeeID"])),
            among=people,
        ),
        Question(f"What did order {order['orderID']} contain?", names=lines_of(order["orderID"]), among=products),
        Question(
            f"How many products does {seller['companyName']} supply?",
            number=len(rows.where("products", supplierID=seller["supplierID"])),
        ),
        Question(
            "Which customer placed the most orders?",
            names=name("customers", "companyName", customerID=buyer),
            among=firms | sellers,
        ),
        Question("Which products are discontinued?", names=product_names(stopped), among=products),
        Question(f"What is the total freight of the orders of {customer['companyName']}?", number=freight),
        Question("Which product has the highest unit price?", names=product_names([top]), among=products),
        Question("How many customers are there in Norway?", number=len(rows.where("customers", country="Norway"))),
        Question(
            f"Who shipped order {second['orderID']}?",
            names=name("shippers", "companyName", shipperID=second["shipperID"]),
            among=carriers | people | firms,
        ),
        Question(
            "产品 23 的供应商是谁？",
            names=name("suppliers", "companyName", supplierID=rows.one("products", productID=23)["supplierID"]),
            among=sellers | firms,
        ),
        Question(
            f"{clerk['employeeName']}向谁汇报？",
            names=name("employees", "employeeName", employeeID=clerk["reportsTo"]),
            among=people,
        ),
        Question(
            f"订单 {second['orderID']} 是哪个客户下的？",
            names=name("customers", "companyName", customerID=second["customerID"]),
            among=firms | sellers,
        ),
        Question(
            f"{kind['categoryName']} 类别有多少种产品？",
            number=len(rows.where("products", categoryID=kind["categoryID"])),
        ),
        Question(
            "哪个供应商供应的产品最多？",
            names=name("suppliers", "companyName", supplierID=main),
            among=sellers | firms,
        ),
        Question("库存少于 10 的产品有哪些？", names=product_names(scarce), among=products),
        Question("Swift Parcel 运送了多少个订单？", number=len(rows.where("orders", shipperID=1))),
        Question(f"{fig['productName']} 一共卖出了多少件？", number=total(lines, "quantity")),
        Question(
            "哪位员工处理的订单最少？",
            names=name("employees", "employeeName", employeeID=idle),
            among=people,
        ),
        Question(
            f"{seller['companyName']} 的电话是多少？",
            names=frozenset([str(seller["phone"])]),
            among=rows.every("suppliers", "phone") | rows.every("customers", "phone"),
        ),
        Question("停产的产品有几种？", number=len(stopped)),
        Question(
            f"{last_kind['categoryName']} 类产品的平均单价是多少？", number=total(in_kind, "unitPrice") / len(in_kind)
        ),
    ]


def hospital_questions(tables: Tables) -> list[Question]:
    """Return the questions to the hospital."""
    rows = Rows(tables)
    drugs, doctors = rows.every("drugs", "drug_name"), rows.every("doctors", "doctor_name")
    makers, patients = rows.every("manufacturers", "company_name"), rows.every("patients", "patient_name")
    wards = rows.every("wards", "ward_name")
    drug, other_drug = tables["drugs"][6], tables["drugs"][30]
    chief, doctor = tables["doctors"][1], tables["doctors"][20]
    care, other_care = tables["departments"][4], tables["departments"][2]
    stay, other_stay = tables["admissions"][60], tables["admissions"][12]
    patient, ward, maker = other_stay, tables["wards"][3], tables["manufacturers"][2]
    sick = rows.one("patients", patient_id=patient["patient_id"])

    def name(table: str, column: str, **wanted: object) -> frozenset[str]:
        return frozenset([str(rows.one(table, **wanted)[column])])

    def values(found: Iterable[Mapping[str, Any]], column: str) -> frozenset[str]:
        return frozenset(str(row[column]) for row in found)

    given = [
        rows.one("drugs", drug_id=row["drug_id"])
        for row in rows.where("prescriptions", admission_id=stay["admission_id"])
    ]
    poorest = min(tables["doctors"], key=lambda row: int(str(row["salary"])))
    dear = [row for row in tables["drugs"] if float(str(row["price"])) > 90]
    busiest = rows.end("admissions", "doctor_id", "doctors", upper=True)
    fewest = rows.end("drugs", "manufacturer_id", "manufacturers", upper=False)
    staff = rows.where("doctors", department_id=other_care["department_id"])
    return [
        Question("What is the price of drug 12?", number=rows.one("drugs", drug_id=12)["price"]),
        Question(
            "Where does patient P0031 live?",
            names=name("patients", "city", patient_id="P0031"),
            among=rows.every("patients", "city"),
        ),
        Question(
            f"Who manufactures {drug['drug_name']}?",
            names=name("manufacturers", "company_name", manufacturer_id=drug["manufacturer_id"]),
            among=makers,
        ),
        Question(
            f"Who is supervised by {chief['doctor_name']}?",
            names=values(rows.where("doctors", supervisor_id=chief["doctor_id"]), "doctor_name"),
            among=doctors,
        ),
        Question(
            f"Which drugs were prescribed in admission {stay['admission_id']}?",
            names=values(given, "drug_name"),
            among=drugs,
        ),
        Question(
            f"How many doctors work in {care['department_name']}?",
            number=len(rows.where("doctors", department_id=care["department_id"])),
        ),
        Question(
            "Which doctor handled the most admissions?",
            names=name("doctors", "doctor_name", doctor_id=busiest),
            among=doctors,
        ),
        Question("Which wards are closed?", names=values(rows.where("wards", closed=1), "ward_name"), among=wards),
        Question(
            f"What is the total cost of the admissions of {sick['patient_name']}?",
            number=total(rows.where("admissions", patient_id=sick["patient_id"]), "cost"),
        ),
        Question("Which doctor has the lowest salary?", names=values([poorest], "doctor_name"), among=doctors),
        Question("How many patients have blood type AB?", number=len(rows.where("patients", blood_type="AB"))),
        Question(
            f"Who is the head of {care['department_name']}?",
            names=name("doctors", "doctor_name", doctor_id=care["head_id"]),
            among=doctors,
        ),
        Question(
            "药品 31 是哪个厂商生产的？",
            names=name(
                "manufacturers", "company_name", manufacturer_id=rows.one("drugs", drug_id=31)["manufacturer_id"]
            ),
            among=makers,
        ),
        Question(
            f"{doctor['doctor_name']} 的上级是谁？",
            names=name("doctors", "doctor_name", doctor_id=doctor["supervisor_id"]),
            among=doctors,
        ),
        Question(
            f"住院 {other_stay['admission_id']} 的病人是谁？",
            names=name("patients", "patient_name", patient_id=other_stay["patient_id"]),
            among=patients,
        ),
        Question(
            f"{care['department_name']} 科室有几个病房？",
            number=len(rows.where("wards", department_id=care["department_id"])),
        ),
        Question(
            "哪个厂商生产的药品最少？",
            names=name("manufacturers", "company_name", manufacturer_id=fewest),
            among=makers,
        ),
        Question("价格超过 90 的药品有哪些？", names=values(dear, "drug_name"), among=drugs),
        Question(
            f"{ward['ward_name']} 收治了多少次住院？",
            number=len(rows.where("admissions", ward_id=ward["ward_id"])),
        ),
        Question(
            f"{other_drug['drug_name']} 一共开了多少天？",
            number=total(rows.where("prescriptions", drug_id=other_drug["drug_id"]), "days"),
        ),
        Question("哪位医生负责的住院最多？", names=name("doctors", "doctor_name", doctor_id=busiest), among=doctors),
        Question(
            f"{maker['company_name']} 的电话是多少？",
            names=frozenset([str(maker["phone"])]),
            among=rows.every("manufacturers", "phone"),
        ),
        Question("已停用的药品有几种？", number=len(rows.where("drugs", withdrawn=1))),
        Question(f"{other_care['department_name']} 的医生平均工资是多少？", number=total(staff, "salary") / len(staff)),
    ]


ASKED: Mapping[str, Callable[[Tables], list[Question]]] = {
    "trading": trading_questions,
    "hospital": hospital_questions,
}
