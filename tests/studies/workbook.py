"""Workbooks as other programs compute them: their cells, edits, and LibreOffice, IronCalc and HyperFormula."""

import json
import re
import subprocess
import zipfile
from pathlib import Path
from xml.etree import ElementTree

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


class Book:
    """Sheets in their order: of each cell, by its reference, the formula or None, and the value."""

    def __init__(self, path):
        self.path = Path(path)
        with zipfile.ZipFile(path) as package:
            book = ElementTree.fromstring(package.read("xl/workbook.xml"))
            links = ElementTree.fromstring(package.read("xl/_rels/workbook.xml.rels"))
            targets = {link.get("Id"): link.get("Target").removeprefix("/xl/") for link in links}
            self.parts = {sheet.get("name"): f"xl/{targets[sheet.get(RELATION)]}" for sheet in book.iter(MAIN + "sheet")}
            self.names = {name.get("name"): name.text for name in book.iter(MAIN + "definedName") if not name.get("name").startswith("_xlnm.")}
            self.texts = []
            if "xl/sharedStrings.xml" in package.namelist():
                shared = ElementTree.fromstring(package.read("xl/sharedStrings.xml"))
                self.texts = ["".join(part.text or "" for part in text.iter(MAIN + "t")) for text in shared]
            self.sheets = {name: self.cells(package.read(part)) for name, part in self.parts.items()}

    def cells(self, part):
        cells = {}
        for cell in ElementTree.fromstring(part).iter(MAIN + "c"):
            formula, value = cell.find(MAIN + "f"), cell.find(MAIN + "v")
            text = None if value is None else value.text
            if cell.get("t") == "s":
                text = self.texts[int(text)]
            elif cell.get("t") in (None, "n") and text is not None:
                text = float(text)
            if formula is not None or text is not None:
                cells[cell.get("r")] = (None if formula is None else formula.text, text)
        return cells

    def place(self, name):
        """The sheet and the cell of an input; a name that a spreadsheet would read otherwise has an underscore at its end."""
        found = self.names.get(name) or self.names[name + "_"]
        sheet, _, cell = found.replace("$", "").rpartition("!")
        return sheet.strip("'"), cell

    def edited(self, path, edits):
        """Writes the workbook with other numbers in the cells of inputs; cached values stay as they are."""
        changes = {}
        for name, value in edits:
            sheet, cell = self.place(name)
            changes.setdefault(self.parts[sheet], []).append((cell, value))
        with zipfile.ZipFile(self.path) as package, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as written:
            for item in package.namelist():
                content = package.read(item)
                for cell, value in changes.get(item, []):
                    pattern = rf'<c r="{cell}"((?: s="\d+")?)[^>/]*(?:/>|>.*?</c>)'.encode()
                    content, count = re.subn(pattern, rf'<c r="{cell}"\1><v>{value}</v></c>'.encode(), content)
                    if count != 1:
                        raise SystemExit(f"{item} has {count} cells {cell}")
                written.writestr(item, content)


# LibreOffice computes every formula anew when it opens a workbook.
ALWAYS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item></oor:items>"""


def libreoffice(path, directory):
    """The cells of a workbook as LibreOffice computes them."""
    profile = Path(directory) / "profile"
    (profile / "user").mkdir(parents=True)
    (profile / "user/registrymodifications.xcu").write_text(ALWAYS)
    out = Path(directory) / "out"
    run = ["soffice", f"-env:UserInstallation=file://{profile}", "--headless", "--convert-to", "xlsx", "--outdir", out, path]
    subprocess.run([str(word) for word in run], check=True, capture_output=True)
    book = Book(out / Path(path).name)
    return {name: {cell: value for cell, (_, value) in cells.items()} for name, cells in book.sheets.items()}


IRONCALC = """
import json, sys, ironcalc
model = ironcalc.load_from_xlsx(sys.argv[1])
model.evaluate()
cells = {}
for sheet, row, column in model.get_all_cells():
    cells.setdefault(sheet, []).append((row, column, model.get_cell_value(sheet, row, column)))
names = [sheet["name"] if isinstance(sheet, dict) else sheet.name for sheet in model.get_worksheets_properties()]
json.dump({names[sheet]: rows for sheet, rows in cells.items()}, sys.stdout)
"""


def ironcalc(path, python):
    """The cells of a workbook as IronCalc computes them; `python` is one that has it."""
    run = subprocess.run([python, "-c", IRONCALC, str(path)], check=True, capture_output=True, text=True)
    return {name: {column_name(column) + str(row): value for row, column, value in cells} for name, cells in json.loads(run.stdout).items()}


EXPONENT = re.compile(r"(?<![A-Za-z_$.\d])(\d+(?:\.\d+)?)E([+-]\d+)")
HYPERFORMULA = """
const { HyperFormula } = require(process.argv[2]);
const { sheets, names } = JSON.parse(require("fs").readFileSync(process.argv[3], "utf8"));
const options = { licenseKey: "gpl-v3", smartRounding: false, useArrayArithmetic: true, maxRows: 200000, maxColumns: 500 };
const engine = HyperFormula.buildFromSheets(sheets, options, names);
const values = Object.fromEntries(engine.getSheetNames().map(name => [name, engine.getSheetValues(engine.getSheetId(name))]));
process.stdout.write(JSON.stringify(values));
"""


def translated(formula):
    """A formula as HyperFormula has to be given it: exponents have a small letter, and its INT cuts off below zero, where
    that of spreadsheets goes down.

    >>> translated("INT(-A1/2)*1E+15")
    '=FLOOR.MATH(-A1/2)*1e+15'
    """
    return "=" + re.sub(r"\bINT\(", "FLOOR.MATH(", EXPONENT.sub(r"\1e\2", formula))


def hyperformula(path, package, directory):
    """The cells of a workbook as HyperFormula computes them; `package` is the directory of the package."""
    book = Book(path)
    sheets = {}
    for name, cells in book.sheets.items():
        rows = []
        for cell, (formula, value) in cells.items():
            row, column = position(cell)
            while len(rows) <= row:
                rows.append([])
            rows[row].extend([None] * (column + 1 - len(rows[row])))
            # A text that begins like a formula is none.
            rows[row][column] = translated(formula) if formula is not None else f"'{value}" if isinstance(value, str) else value
        sheets[name] = rows
    names = [{"name": name, "expression": f"={text}"} for name, text in book.names.items()]
    source = Path(directory) / "cells.json"
    source.write_text(json.dumps({"sheets": sheets, "names": names}))
    script = Path(directory) / "compute.js"
    script.write_text(HYPERFORMULA)
    run = ["node", "--max-old-space-size=6000", script, package, source]
    run = subprocess.run([str(word) for word in run], capture_output=True, text=True)
    if run.returncode != 0:
        raise SystemExit(run.stderr[-2000:])
    values = json.loads(run.stdout)
    return {name: {column_name(column + 1) + str(row + 1): value for row, line in enumerate(rows) for column, value in enumerate(line) if value is not None}
            for name, rows in values.items()}


def position(cell):
    """Row and column, from zero.

    >>> position("AB12")
    (11, 27)
    """
    letters, digits = re.fullmatch(r"([A-Z]+)(\d+)", cell).groups()
    column = 0
    for letter in letters:
        column = 26 * column + ord(letter) - 64
    return int(digits) - 1, column - 1


def column_name(number):
    """The letters of a column, the first of which is 1.

    >>> column_name(1), column_name(28)
    ('A', 'AB')
    """
    name = ""
    while number:
        number, letter = divmod(number - 1, 26)
        name = chr(65 + letter) + name
    return name
