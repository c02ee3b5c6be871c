package org.stillwater.core.analysis;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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
 * @param name local name
 * @param namespace null for none
 * @param attributes values by local name
 * @param children elements in it, in order
 * @param text its text, if it is one of {@link #hasText}; empty otherwise
 */
record DomainElement(
        String name,
        @Nullable String namespace,
        Map<String, String> attributes,
        List<DomainElement> children,
        String text) {

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
            Map<String, String> attributes = LinkedHashMap.newLinkedHashMap(reader.attributes());
            for (int i = 0; i < reader.attributes(); i++) {
                attributes.put(reader.attributeName(i), reader.attributeValue(i));
            }
            if (hasText(parent, name, attributes)) {
                String text = reader.text();
                return new DomainElement(
                        name,
                        namespace,
                        attributes,
                        List.of(),
                        parent.equals(CUSTOM) ? text : text.strip());
            }
            List<DomainElement> children = new ArrayList<>();
            for (int event = reader.next();
                    event != XMLStreamConstants.END_ELEMENT;
                    event = reader.next()) {
                if (event == XMLStreamConstants.START_ELEMENT) {
                    children.add(element(name, depth + 1));
                }
            }
            return new DomainElement(name, namespace, attributes, children, "");
        }
    }

    /** Whether the text of an element counts; it has no elements then. */
    private static boolean hasText(String parent, String name, Map<String, String> attributes) {
        return switch (parent) {
            case CUSTOM -> true;
            case "rng" -> name.equals("backend") && "random".equals(attributes.get("model"));
            case "os" ->
                    TEXTS.getOrDefault(parent, Set.of()).contains(name)
                            && (!name.equals("nvram") || !attributes.containsKey("type"));
            default -> TEXTS.getOrDefault(parent, Set.of()).contains(name);
        };
    }

    /** An element with nothing in it, in place of one that a document does not have. */
    static final DomainElement NOTHING = new DomainElement("", null, Map.of(), List.of(), "");

    /** The first element of this name in it; one with nothing in it if there is none. */
    DomainElement part(String wanted) {
        DomainElement child = child(wanted);
        return child == null ? NOTHING : child;
    }

    /** Value of an attribute; empty without it. */
    String attribute(String attribute) {
        return attributes.getOrDefault(attribute, "");
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
        return (int) DomainXmlReader.number(attributes.get(attribute), least, most);
    }

    /** Its text as a size in the unit that it names. */
    int mebibytes() {
        long kibibytes = DomainXmlReader.kibibytes(text, attributes.get("unit"));
        return (int) Math.min(Integer.MAX_VALUE, kibibytes >> 10);
    }
}
