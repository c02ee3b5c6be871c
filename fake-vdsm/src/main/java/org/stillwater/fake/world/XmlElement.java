package org.stillwater.fake.world;

import java.io.StringReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/**
 * An element of a libvirt XML. It never changes, so that every thread may read it; changes make
 * another one. Text counts only where there are no elements, as in all of libvirt's formats.
 *
 * @param name its name, with the prefix of its namespace
 * @param attributes in their order, those that declare namespaces included
 * @param text empty where it has elements
 */
record XmlElement(
        String name, Map<String, String> attributes, List<XmlElement> children, String text) {

    /** Nothing of libvirt's is nested more deeply than a tenth of this. */
    private static final int MOST_DEPTH = 100;

    XmlElement {
        attributes = Collections.unmodifiableMap(new LinkedHashMap<>(attributes));
        children = List.copyOf(children);
    }

    /** An element with attributes, names and values in turn. */
    static XmlElement of(String name, String... namesAndValues) {
        Map<String, String> attributes = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            attributes.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return new XmlElement(name, attributes, List.of(), "");
    }

    /**
     * Reads a document.
     *
     * @throws IllegalArgumentException if it is not well-formed; the message has line and column
     */
    static XmlElement parse(String document) {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_COALESCING, true);
        try {
            XMLStreamReader reader = factory.createXMLStreamReader(new StringReader(document));
            try {
                return read(reader);
            } finally {
                reader.close();
            }
        } catch (XMLStreamException e) {
            throw new IllegalArgumentException(
                    "syntax error: line %d, column %d"
                            .formatted(
                                    e.getLocation() == null ? 1 : e.getLocation().getLineNumber(),
                                    e.getLocation() == null
                                            ? 0
                                            : e.getLocation().getColumnNumber()),
                    e);
        }
    }

    private static XmlElement read(XMLStreamReader reader) throws XMLStreamException {
        Deque<Draft> open = new ArrayDeque<>();
        XmlElement root = null;
        while (reader.hasNext()) {
            switch (reader.next()) {
                case XMLStreamConstants.START_ELEMENT -> {
                    if (open.size() >= MOST_DEPTH) {
                        throw new IllegalArgumentException("elements are nested too deeply");
                    }
                    open.push(new Draft(reader));
                }
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA -> {
                    if (!open.isEmpty()) {
                        open.peek().text.append(reader.getText());
                    }
                }
                case XMLStreamConstants.END_ELEMENT -> {
                    XmlElement closed = open.pop().element();
                    if (open.isEmpty()) {
                        root = closed;
                    } else {
                        open.peek().children.add(closed);
                    }
                }
                default -> {
                    // comments and the like
                }
            }
        }
        return Objects.requireNonNull(root, "a well-formed document has a root");
    }

    private static final class Draft {
        final String name;
        final Map<String, String> attributes = new LinkedHashMap<>();
        final List<XmlElement> children = new ArrayList<>();
        final StringBuilder text = new StringBuilder();

        Draft(XMLStreamReader reader) {
            name = qualified(reader.getPrefix(), reader.getLocalName());
            for (int i = 0; i < reader.getAttributeCount(); i++) {
                attributes.put(
                        qualified(reader.getAttributePrefix(i), reader.getAttributeLocalName(i)),
                        reader.getAttributeValue(i));
            }
            for (int i = 0; i < reader.getNamespaceCount(); i++) {
                String prefix = reader.getNamespacePrefix(i);
                String uri = reader.getNamespaceURI(i);
                attributes.put(
                        prefix == null || prefix.isEmpty() ? "xmlns" : "xmlns:" + prefix,
                        uri == null ? "" : uri);
            }
        }

        XmlElement element() {
            return new XmlElement(
                    name, attributes, children, children.isEmpty() ? text.toString() : "");
        }

        private static String qualified(@Nullable String prefix, String local) {
            return prefix == null || prefix.isEmpty() ? local : prefix + ':' + local;
        }
    }

    /** Its name without the prefix. */
    String localName() {
        return name.substring(name.indexOf(':') + 1);
    }

    /** The value of an attribute; empty if it has none. */
    String attribute(String attribute) {
        return attributes.getOrDefault(attribute, "");
    }

    /** Its first child of a name, prefix aside. */
    @Nullable XmlElement child(String childName) {
        for (XmlElement child : children) {
            if (child.localName().equals(childName)) {
                return child;
            }
        }
        return null;
    }

    /** Its children of a name, prefix aside. */
    List<XmlElement> children(String childName) {
        return children.stream().filter(child -> child.localName().equals(childName)).toList();
    }

    /** An attribute of its first child of a name; empty if there is none. */
    String childAttribute(String childName, String attribute) {
        XmlElement child = child(childName);
        return child == null ? "" : child.attribute(attribute);
    }

    /** The text of its first child of a name, without blanks around; empty if there is none. */
    String childText(String childName) {
        XmlElement child = child(childName);
        return child == null ? "" : child.text.strip();
    }

    /** The same with this attribute. */
    XmlElement with(String attribute, String value) {
        Map<String, String> more = new LinkedHashMap<>(attributes);
        more.put(attribute, value);
        return new XmlElement(name, more, children, text);
    }

    /** The same without this attribute. */
    XmlElement without(String attribute) {
        Map<String, String> fewer = new LinkedHashMap<>(attributes);
        fewer.remove(attribute);
        return new XmlElement(name, fewer, children, text);
    }

    /** The same with this text and no elements. */
    XmlElement withText(String newText) {
        return new XmlElement(name, attributes, List.of(), newText);
    }

    /** The same with other children. */
    XmlElement withChildren(List<XmlElement> others) {
        return new XmlElement(name, attributes, others, others.isEmpty() ? text : "");
    }

    /** The same with this child in the place of the first of its name, or at the end. */
    XmlElement withChild(XmlElement child) {
        List<XmlElement> others = new ArrayList<>(children);
        for (int i = 0; i < others.size(); i++) {
            if (others.get(i).name.equals(child.name)) {
                others.set(i, child);
                return withChildren(others);
            }
        }
        others.add(child);
        return withChildren(others);
    }

    /** The same with one child more. */
    XmlElement plus(XmlElement child) {
        List<XmlElement> more = new ArrayList<>(children);
        more.add(child);
        return withChildren(more);
    }

    /** The same without the children that fit. */
    XmlElement minus(Predicate<XmlElement> unwanted) {
        return new XmlElement(
                name, attributes, children.stream().filter(unwanted.negate()).toList(), text);
    }

    /** The same with every child of a name changed. */
    XmlElement changing(String childName, UnaryOperator<XmlElement> change) {
        return withChildren(
                children.stream()
                        .map(child ->
                                child.localName().equals(childName) ? change.apply(child) : child)
                        .toList());
    }

    /** The same, and all that is in it, with another prefix; empty for none. */
    XmlElement withPrefix(String prefix) {
        String newName = prefix.isEmpty() ? localName() : prefix + ':' + localName();
        return new XmlElement(
                newName,
                attributes,
                children.stream().map(child -> child.withPrefix(prefix)).toList(),
                text);
    }

    /** The prefix of its name; empty for none. */
    String prefix() {
        int colon = name.indexOf(':');
        return colon < 0 ? "" : name.substring(0, colon);
    }

    /** The document as libvirt writes it: single quotes, two blanks for each level. */
    String document() {
        StringBuilder out = new StringBuilder(4096);
        write(out, 0);
        return out.toString();
    }

    private void write(StringBuilder out, int depth) {
        out.repeat(' ', 2 * depth).append('<').append(name);
        attributes.forEach((attribute, value) ->
                out.append(' ')
                        .append(attribute)
                        .append("='")
                        .append(DomainXml.escaped(value))
                        .append('\''));
        if (!children.isEmpty()) {
            out.append(">\n");
            for (XmlElement child : children) {
                child.write(out, depth + 1);
            }
            out.repeat(' ', 2 * depth).append("</").append(name).append(">\n");
        } else if (text.isBlank()) {
            out.append("/>\n");
        } else {
            out.append('>').append(DomainXml.escaped(text)).append("</").append(name).append(">\n");
        }
    }
}
