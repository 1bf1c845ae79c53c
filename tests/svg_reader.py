"""What a picture of a board shows, read back from its elements."""

import xml.etree.ElementTree as ET

SPACE = "{http://www.w3.org/2000/svg}"
INHERITED = ("fill", "stroke", "stroke-width", "text-anchor", "class")


class Drawing:
    """The circles and texts of an SVG of a board, with places as the coordinates beside it name them."""

    def __init__(self, text, height=None):
        self.root = ET.fromstring(text)
        assert self.root.tag == SPACE + "svg"
        self.width, self.height = (float(value) for value in self.root.get("viewBox").split()[2:])
        self.elements = []
        self._walk(self.root, {})
        labels = [shape for shape in self.elements if shape["tag"] == "text" and shape.get("text-anchor") == "middle"
                  and "font-weight" not in shape]
        low = max(float(shape["y"]) for shape in labels)
        self.columns = {float(shape["x"]): shape["text"] for shape in labels if float(shape["y"]) == low}
        rows = [shape for shape in labels if float(shape["y"]) < low]
        self.rows = {float(shape["y"]) - 0.36 * float(shape["font-size"]): shape["text"] for shape in rows}
        if not rows:  # slots have no names of rows: count from the bottom
            places = sorted({float(shape["cy"]) for shape in self.circles()}, reverse=True)
            self.rows = {place: str(number) for number, place in enumerate(places, 1)}

    def _walk(self, element, given):
        here = {**{name: value for name, value in given.items() if name in INHERITED}, **element.attrib}
        text = "".join(element.text or "")
        title = element.find(SPACE + "title")
        self.elements.append({"tag": element.tag.removeprefix(SPACE), "text": text,
                              "title": None if title is None else title.text, **here})
        for child in element:
            self._walk(child, here)

    def circles(self, **attributes):
        return [shape for shape in self.elements if shape["tag"] == "circle"
                and all(shape.get(name) == value for name, value in attributes.items())]

    def place(self, shape):
        """The name of the cell where a circle or a bold text is."""
        x, y = (shape["cx"], shape["cy"]) if shape["tag"] == "circle" else (
            shape["x"], float(shape["y"]) - 0.36 * float(shape["font-size"]))
        column = min(self.columns, key=lambda place: abs(place - float(x)))
        row = min(self.rows, key=lambda place: abs(place - float(y)))
        assert abs(column - float(x)) < 0.02 and abs(row - float(y)) < 0.02, shape
        return self.columns[column] + self.rows[row]

    def places(self, **attributes):
        return sorted(self.place(shape) for shape in self.circles(**attributes))

    def bubbles(self):
        """{place: (radius, tooltip)} of the circles with a tooltip."""
        return {self.place(shape): (float(shape["r"]), shape["title"])
                for shape in self.circles() if shape["title"] is not None}

    def words(self):
        """{place: text} of the bold texts, those within the board."""
        return {self.place(shape): shape["text"]
                for shape in self.elements if shape["tag"] == "text" and shape.get("font-weight") == "600"}

    def captions(self):
        """The texts below bubbles that are too small for them."""
        return [shape["text"] for shape in self.elements
                if shape["tag"] == "text" and shape.get("font-weight") == "500"]


def attributes_of(text):
    """All values of attributes, as one text, and all elements' names."""
    root = ET.fromstring(text)
    return " ".join(value for element in root.iter() for value in element.attrib.values()), {
        element.tag.removeprefix(SPACE) for element in root.iter()}
