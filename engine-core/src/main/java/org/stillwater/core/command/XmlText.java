package org.stillwater.core.command;

import java.io.StringWriter;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * Writes one XML document. Attributes are pairs of name and value. The writer refuses text that XML
 * cannot hold.
 */
final class XmlText {

    private final StringWriter out = new StringWriter(8_192);
    private final XMLStreamWriter xml;

    XmlText() {
        try {
            xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(out);
        } catch (XMLStreamException e) {
            throw new IllegalStateException("the JDK writes no XML", e);
        }
    }

    /** Opens an element. */
    XmlText open(String name, Object... attributes) {
        return run(() -> {
            xml.writeStartElement(name);
            attributes(attributes);
        });
    }

    /** Opens an element of a namespace. */
    XmlText open(Namespace namespace, String name, Object... attributes) {
        return run(() -> {
            xml.writeStartElement(namespace.prefix, name, namespace.uri);
            attributes(attributes);
        });
    }

    /** Declares namespaces on the element that was opened last. */
    XmlText declare(Namespace... namespaces) {
        return run(() -> {
            for (Namespace namespace : namespaces) {
                xml.setPrefix(namespace.prefix, namespace.uri);
                xml.writeNamespace(namespace.prefix, namespace.uri);
            }
        });
    }

    /** Closes the element that was opened last. */
    XmlText close() {
        return run(xml::writeEndElement);
    }

    /** An element without content. */
    XmlText empty(String name, Object... attributes) {
        return run(() -> {
            xml.writeEmptyElement(name);
            attributes(attributes);
        });
    }

    /** An element without content of a namespace. */
    XmlText empty(Namespace namespace, String name, Object... attributes) {
        return run(() -> {
            xml.writeEmptyElement(namespace.prefix, name, namespace.uri);
            attributes(attributes);
        });
    }

    /** An element with text. */
    XmlText text(String name, Object text, Object... attributes) {
        return open(name, attributes).characters(text).close();
    }

    /** An element of a namespace with text. */
    XmlText text(Namespace namespace, String name, Object text, Object... attributes) {
        return open(namespace, name, attributes).characters(text).close();
    }

    /** The document. Nothing may follow. */
    String document() {
        run(() -> {
            xml.writeEndDocument();
            xml.close();
        });
        return out.toString();
    }

    private XmlText characters(Object text) {
        String legal = legal(text.toString());
        return run(() -> xml.writeCharacters(legal));
    }

    private void attributes(Object... pairs) throws XMLStreamException {
        for (int i = 0; i < pairs.length; i += 2) {
            xml.writeAttribute(pairs[i].toString(), legal(pairs[i + 1].toString()));
        }
    }

    /**
     * Line ends and tabs are refused too, though XML has them: a reader of attributes turns them
     * into blanks.
     */
    private static String legal(String text) {
        int at = 0;
        while (at < text.length()) {
            int point = text.codePointAt(at);
            boolean surrogate =
                    point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE;
            if (Character.isISOControl(point) || surrogate || point == 0xFFFE || point == 0xFFFF) {
                throw new IllegalArgumentException(
                        "the definition of the VM has the character U+%04X, which a domain XML"
                                        .formatted(point)
                                + " cannot hold: take it out");
            }
            at += Character.charCount(point);
        }
        return text;
    }

    @FunctionalInterface
    private interface Step {
        void run() throws XMLStreamException;
    }

    /** Writing to strings does not fail; only a wrong order of calls does. */
    private XmlText run(Step step) {
        try {
            step.run();
            return this;
        } catch (XMLStreamException e) {
            throw new IllegalStateException("elements in the wrong order", e);
        }
    }

    /** Namespaces of elements that hosts read beside libvirt. */
    enum Namespace {
        VM("ovirt-vm", "http://ovirt.org/vm/1.0"),
        TUNE("ovirt-tune", "http://ovirt.org/vm/tune/1.0");

        private final String prefix;
        private final String uri;

        Namespace(String prefix, String uri) {
            this.prefix = prefix;
            this.uri = uri;
        }
    }
}
