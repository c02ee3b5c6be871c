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
     * The root of any document that {@link DomainXmlReader} accepts, by a pass of its own.
     *
     * @throws UnreadableDomain with the reason as one sentence
     */
    static DomainElement read(String xml) throws UnreadableDomain {
        try {
            XMLStreamReader reader =
                    DomainXmlReader.FACTORY.createXMLStreamReader(new StringReader(xml));
            try {
                Recorder recorder = new Recorder(new StaxXml(reader));
                while (!recorder.isComplete()) {
                    int _ = recorder.next();
                }
                return recorder.root();
            } finally {
                reader.close();
            }
        } catch (XMLStreamException e) {
            throw new UnreadableDomain("an element has both a text and elements", e);
        }
    }

    /**
     * Keeps the elements that a reader of the document passes, so that one pass gives both views.
     * The reader gets the events of the source. An element whose text counts has no elements; if it
     * has some, the source refuses the document. Used by one thread.
     */
    static final class Recorder implements XmlCursor {

        private final XmlCursor source;
        private @Nullable Open present;
        private int depth;
        private int elements;
        private boolean large;
        private @Nullable DomainElement root;

        /** An element without its end. */
        private static final class Open {
            private final @Nullable Open parent;
            private final String name;
            private final @Nullable String namespace;
            private final String[] attributes;
            private final boolean hasText;
            private @Nullable List<DomainElement> children;

            Open(@Nullable Open parent, XmlCursor source) {
                this.parent = parent;
                this.name = source.name();
                this.namespace = source.namespace();
                this.attributes = attributesOf(source);
                this.hasText =
                        DomainElement.hasText(parent == null ? "" : parent.name, name, attributes);
            }

            DomainElement ended(String read) {
                String text = "";
                if (hasText) {
                    text = parent != null && parent.name.equals(CUSTOM) ? read : read.strip();
                }
                return new DomainElement(
                        name, namespace, attributes, children == null ? List.of() : children, text);
            }
        }

        /** At the begin of a document. */
        Recorder(XmlCursor source) {
            this.source = source;
        }

        /** Whether the root has ended. */
        boolean isComplete() {
            return root != null || (large && depth == 0);
        }

        /**
         * The root of the document, which is complete.
         *
         * @throws UnreadableDomain if it has too many elements
         */
        DomainElement root() throws UnreadableDomain {
            if (root == null) {
                throw new UnreadableDomain(
                        "more than %d elements, or nested deeper than %d"
                                .formatted(MOST_ELEMENTS, MOST_DEPTH));
            }
            return root;
        }

        @Override
        public int event() {
            return source.event();
        }

        @Override
        public int next() throws XMLStreamException {
            if (present != null && present.hasText && source.isStart()) {
                String _ = text();
                return source.event();
            }
            int event = source.next();
            if (event == XMLStreamConstants.START_ELEMENT) {
                begin();
            } else if (event == XMLStreamConstants.END_ELEMENT) {
                end("");
            }
            return event;
        }

        @Override
        public String text() throws XMLStreamException {
            String text = source.text();
            end(text);
            return text;
        }

        private void begin() {
            depth++;
            if (++elements > MOST_ELEMENTS || depth > MOST_DEPTH) {
                large = true;
                present = null;
            }
            if (!large) {
                present = new Open(present, source);
            }
        }

        private void end(String text) {
            depth--;
            Open ended = present;
            if (ended == null) {
                return;
            }
            DomainElement element = ended.ended(text);
            present = ended.parent;
            if (present == null) {
                root = element;
            } else {
                if (present.children == null) {
                    present.children = new ArrayList<>();
                }
                present.children.add(element);
            }
        }

        @Override
        public boolean isStart() {
            return source.isStart();
        }

        @Override
        public String name() {
            return present == null ? source.name() : present.name;
        }

        @Override
        public @Nullable String namespace() {
            return source.namespace();
        }

        @Override
        public @Nullable String attribute(String name) {
            return present == null ? source.attribute(name) : valueOf(name, present.attributes);
        }

        @Override
        public int attributes() {
            return source.attributes();
        }

        @Override
        public String attributeName(int index) {
            return source.attributeName(index);
        }

        @Override
        public String attributeValue(int index) {
            return present == null
                    ? source.attributeValue(index)
                    : present.attributes[2 * index + 1];
        }

        private static String[] attributesOf(XmlCursor source) {
            int count = source.attributes();
            if (count == 0) {
                return NO_ATTRIBUTES;
            }
            String[] attributes = new String[2 * count];
            for (int i = 0; i < count; i++) {
                attributes[2 * i] = source.attributeName(i);
                attributes[2 * i + 1] = source.attributeValue(i);
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
        List<DomainElement> all = new ArrayList<>();
        for (DomainElement child : children) {
            if (child.name().equals(wanted)) {
                all.add(child);
            }
        }
        return all;
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
