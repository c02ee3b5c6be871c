package org.stillwater.core.analysis;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.DomainXmlReader.UnreadableDomain;

/**
 * An element of a domain XML with all that is in it, for {@link FoundSpecification}. {@link
 * DomainXmlReader} has checked the size of the document; here is a bound on its elements.
 *
 * <p>Attributes are an array: a document has a hundred elements of two or three attributes, and a
 * map of each took most of the time of its reading. Immutable.
 */
final class DomainElement {

    private static final String[] NO_ATTRIBUTES = {};

    private final String name;
    private final @Nullable String namespace;

    /** Local names, each before its value. */
    private final String[] attributes;

    private final List<DomainElement> children;
    private final String text;

    private DomainElement(
            String name,
            @Nullable String namespace,
            String[] attributes,
            List<DomainElement> children,
            String text) {
        this.name = name;
        this.namespace = namespace;
        this.attributes = attributes;
        this.children = children;
        this.text = text;
    }

    /** Local name. */
    String name() {
        return name;
    }

    /** Its namespace; null for none. */
    @Nullable String namespace() {
        return namespace;
    }

    /** Elements in it, in order. */
    List<DomainElement> children() {
        return children;
    }

    /** Its text, if it is one of {@link #hasText}; empty otherwise. */
    String text() {
        return text;
    }

    /** A domain with hundreds of devices has about a quarter of it. */
    private static final int MOST_ELEMENTS = 20_000;

    private static final int MOST_DEPTH = 64;

    /** Properties of users, with any text. */
    private static final String CUSTOM = "custom";

    /** Elements that have a text and no elements, by the element that they are in. */
    private static final Map<String, Set<String>> TEXTS =
            Map.of(
                    "domain",
                    Set.of("description", "memory", "maxMemory", "vcpu", "iothreads"),
                    "os",
                    Set.of("type", "loader", "nvram"),
                    "cpu",
                    Set.of("model"),
                    "cputune",
                    Set.of("shares"),
                    "disk",
                    Set.of("serial"),
                    "lease",
                    Set.of("lockspace", "key"),
                    "target",
                    Set.of("size", "node"),
                    "system",
                    Set.of("entry"),
                    "vm",
                    Set.of("resumeBehavior"),
                    "device",
                    Set.of("poolID", "domainID", "imageID", "volumeID", "shared"));

    /**
     * The root of a document.
     *
     * @throws UnreadableDomain with the reason as one sentence
     */
    static DomainElement read(String xml) throws UnreadableDomain {
        try {
            return new Parse(new PlainXml(xml)).root();
        } catch (PlainXml.NotPlain | UnreadableDomain | XMLStreamException _) {
            return general(xml); // it gives the reason, too
        }
    }

    private static DomainElement general(String xml) throws UnreadableDomain {
        try {
            XMLStreamReader reader =
                    DomainXmlReader.FACTORY.createXMLStreamReader(new StringReader(xml));
            try {
                return new Parse(new StaxXml(reader)).root();
            } finally {
                reader.close();
            }
        } catch (XMLStreamException e) {
            throw new UnreadableDomain("an element has both a text and elements", e);
        }
    }

    private static final class Parse {
        private final XmlCursor reader;
        private int elements;

        Parse(XmlCursor reader) {
            this.reader = reader;
        }

        DomainElement root() throws XMLStreamException, UnreadableDomain {
            while (!reader.isStart()) {
                int _ = reader.next();
            }
            return element("", 1);
        }

        private DomainElement element(String parent, int depth)
                throws XMLStreamException, UnreadableDomain {
            if (++elements > MOST_ELEMENTS || depth > MOST_DEPTH) {
                throw new UnreadableDomain(
                        "more than %d elements, or nested deeper than %d"
                                .formatted(MOST_ELEMENTS, MOST_DEPTH));
            }
            String name = reader.name();
            String namespace = reader.namespace();
            String[] attributes = attributes();
            if (hasText(parent, name, attributes)) {
                String text = reader.text();
                return new DomainElement(
                        name,
                        namespace,
                        attributes,
                        List.of(),
                        parent.equals(CUSTOM) ? text : text.strip());
            }
            List<DomainElement> children = null;
            for (int event = reader.next();
                    event != XMLStreamConstants.END_ELEMENT;
                    event = reader.next()) {
                if (event == XMLStreamConstants.START_ELEMENT) {
                    if (children == null) {
                        children = new ArrayList<>();
                    }
                    children.add(element(name, depth + 1));
                }
            }
            return new DomainElement(
                    name, namespace, attributes, children == null ? List.of() : children, "");
        }

        private String[] attributes() {
            int count = reader.attributes();
            if (count == 0) {
                return NO_ATTRIBUTES;
            }
            String[] attributes = new String[2 * count];
            for (int i = 0; i < count; i++) {
                attributes[2 * i] = reader.attributeName(i);
                attributes[2 * i + 1] = reader.attributeValue(i);
            }
            return attributes;
        }
    }

    /** Whether the text of an element counts; it has no elements then. */
    private static boolean hasText(String parent, String name, String[] attributes) {
        if (parent.equals(CUSTOM)) {
            return true;
        }
        if (parent.equals("rng")) {
            return name.equals("backend") && "random".equals(valueOf("model", attributes));
        }
        Set<String> texts = TEXTS.get(parent);
        return texts != null
                && texts.contains(name)
                && !(name.equals("nvram") && valueOf("type", attributes) != null);
    }

    /** The last one counts, as attributes of two namespaces may have one local name. */
    private static @Nullable String valueOf(String attribute, String[] attributes) {
        for (int i = attributes.length - 2; i >= 0; i -= 2) {
            if (attributes[i].equals(attribute)) {
                return attributes[i + 1];
            }
        }
        return null;
    }

    /** An element with nothing in it, in place of one that a document does not have. */
    static final DomainElement NOTHING = new DomainElement("", null, NO_ATTRIBUTES, List.of(), "");

    /** The first element of this name in it; one with nothing in it if there is none. */
    DomainElement part(String wanted) {
        DomainElement child = child(wanted);
        return child == null ? NOTHING : child;
    }

    /** Value of an attribute; empty without it. */
    String attribute(String attribute) {
        return attribute(attribute, "");
    }

    /** Value of an attribute, or another one without it. */
    String attribute(String attribute, String otherwise) {
        String value = valueOf(attribute, attributes);
        return value == null ? otherwise : value;
    }

    boolean hasAttribute(String attribute) {
        return valueOf(attribute, attributes) != null;
    }

    /** Whether it has the attribute with this value. */
    boolean is(String attribute, String value) {
        return attribute(attribute).equals(value);
    }

    /** The first element of this name in it, or null. */
    @Nullable DomainElement child(String wanted) {
        for (DomainElement child : children) {
            if (child.name().equals(wanted)) {
                return child;
            }
        }
        return null;
    }

    boolean has(String wanted) {
        return child(wanted) != null;
    }

    /** All elements of this name in it. */
    List<DomainElement> all(String wanted) {
        return children.stream().filter(child -> child.name().equals(wanted)).toList();
    }

    /** Attribute of the first element of a name in it; empty without one. */
    String of(String wanted, String attribute) {
        DomainElement child = child(wanted);
        return child == null ? "" : child.attribute(attribute);
    }

    /** Text of the first element of a name in it; empty without one. */
    String textOf(String wanted) {
        DomainElement child = child(wanted);
        return child == null ? "" : child.text();
    }

    /** Number in an attribute, within bounds; the least one without it. */
    int number(String attribute, int least, int most) {
        return (int) DomainXmlReader.number(valueOf(attribute, attributes), least, most);
    }

    /** Its text as a size in the unit that it names. */
    int mebibytes() {
        long kibibytes = DomainXmlReader.kibibytes(text, valueOf("unit", attributes));
        return (int) Math.min(Integer.MAX_VALUE, kibibytes >> 10);
    }
}
