package org.stillwater.xapi.client;

import com.fasterxml.aalto.stax.InputFactoryImpl;
import java.io.IOException;
import java.io.InputStream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/**
 * XML of pools by a parser: metrics, and replies with JSON in an unusual envelope. The cursor
 * stands behind the opening tag of a {@code value} when a value is expected, and behind its closing
 * tag after it was read.
 */
final class XmlSource implements XmlReply {

    private static final InputFactoryImpl FACTORY = factory();

    private final XMLStreamReader xml;

    private XmlSource(XMLStreamReader xml) {
        this.xml = xml;
    }

    private static InputFactoryImpl factory() {
        InputFactoryImpl factory = new InputFactoryImpl();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_COALESCING, false);
        factory.setProperty(XMLInputFactory.IS_NAMESPACE_AWARE, false);
        return factory;
    }

    /** A reply; the first value is that of its one parameter. */
    static XmlSource of(InputStream in) throws XapiException.Protocol {
        try {
            XmlSource source = new XmlSource(FACTORY.createXMLStreamReader(in));
            source.open("methodResponse");
            source.open("params");
            source.open("param");
            source.open("value");
            return source;
        } catch (XMLStreamException e) {
            throw broken(e);
        }
    }

    /** A document that is no call: metrics. */
    static XmlSource document(InputStream in) throws XapiException.Protocol {
        try {
            return new XmlSource(FACTORY.createXMLStreamReader(in));
        } catch (XMLStreamException e) {
            throw broken(e);
        }
    }

    private static XapiException.Protocol broken(Exception e) {
        return new XapiException.Protocol("no XML: " + e.getMessage(), e);
    }

    private int next() throws XapiException.Protocol {
        try {
            return xml.next();
        } catch (XMLStreamException | java.util.NoSuchElementException e) {
            throw broken(e);
        } catch (RuntimeException e) {
            // Aalto wraps the exceptions of its input.
            throw broken(e);
        }
    }

    private int nextTag() throws XapiException.Protocol {
        while (true) {
            int event = next();
            switch (event) {
                case XMLStreamConstants.START_ELEMENT, XMLStreamConstants.END_ELEMENT -> {
                    return event;
                }
                case XMLStreamConstants.END_DOCUMENT ->
                        throw new XapiException.Protocol("the reply ends too early", null);
                default -> {
                    // White space and comments.
                }
            }
        }
    }

    void open(String name) throws XapiException.Protocol {
        if (nextTag() != XMLStreamConstants.START_ELEMENT || !xml.getLocalName().equals(name)) {
            throw new XapiException.Protocol(name + " expected, not " + xml.getLocalName(), null);
        }
    }

    private void close(String name) throws XapiException.Protocol {
        if (nextTag() != XMLStreamConstants.END_ELEMENT) {
            throw new XapiException.Protocol("the end of " + name + " expected", null);
        }
    }

    @Override
    public void end() throws XapiException.Protocol {
        close("param");
        close("params");
        close("methodResponse");
    }

    /** Text up to the closing tag of the open element. */
    String rest() throws XapiException.Protocol {
        String first = "";
        StringBuilder more = null;
        while (true) {
            switch (next()) {
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA -> {
                    if (first.isEmpty()) {
                        first = chunk();
                    } else {
                        more = more == null ? new StringBuilder(first) : more;
                        more.append(chunk());
                    }
                }
                case XMLStreamConstants.END_ELEMENT -> {
                    return more == null ? first : more.toString();
                }
                case XMLStreamConstants.START_ELEMENT, XMLStreamConstants.END_DOCUMENT ->
                        throw new XapiException.Protocol("a text expected", null);
                default -> {
                    // Comments.
                }
            }
        }
    }

    private String chunk() throws XapiException.Protocol {
        try {
            return xml.getText();
        } catch (RuntimeException e) {
            throw broken(e); // Aalto reads texts lazily
        }
    }

    @Override
    public void beginObject() throws IOException {
        open("struct");
    }

    @Override
    public @Nullable String nextName() throws IOException {
        if (nextTag() == XMLStreamConstants.END_ELEMENT) {
            if (xml.getLocalName().equals("member")) {
                return nextName();
            }
            close("value");
            return null;
        }
        open("name");
        String name = rest();
        open("value");
        return name;
    }

    @Override
    public void beginArray() throws IOException {
        open("array");
        open("data");
    }

    @Override
    public boolean nextElement() throws IOException {
        if (nextTag() == XMLStreamConstants.START_ELEMENT) {
            return true;
        }
        close("array");
        close("value");
        return false;
    }

    /** A scalar, in an element of its type or bare. */
    @Override
    public String text() throws IOException {
        String first = "";
        StringBuilder more = null;
        while (true) {
            switch (next()) {
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA -> {
                    if (first.isEmpty()) {
                        first = chunk();
                    } else {
                        more = more == null ? new StringBuilder(first) : more;
                        more.append(chunk());
                    }
                }
                case XMLStreamConstants.END_ELEMENT -> {
                    return more == null ? first : more.toString();
                }
                case XMLStreamConstants.START_ELEMENT -> {
                    String typed = rest();
                    close("value");
                    return typed;
                }
                case XMLStreamConstants.END_DOCUMENT ->
                        throw new XapiException.Protocol("the reply ends too early", null);
                default -> {
                    // Comments.
                }
            }
        }
    }

    @Override
    public long number() throws IOException {
        return Source.parseNumber(text());
    }

    @Override
    public double real() throws IOException {
        return Source.parseReal(text());
    }

    @Override
    public boolean flag() throws IOException {
        return switch (text()) {
            case "1", "true" -> true;
            case "0", "false" -> false;
            default -> throw new XapiException.Protocol("a bool expected", null);
        };
    }

    @Override
    public void skip() throws IOException {
        int depth = 1;
        while (depth > 0) {
            switch (next()) {
                case XMLStreamConstants.START_ELEMENT -> depth++;
                case XMLStreamConstants.END_ELEMENT -> depth--;
                case XMLStreamConstants.END_DOCUMENT ->
                        throw new XapiException.Protocol("the reply ends too early", null);
                default -> {
                    // Texts are not even decoded.
                }
            }
        }
    }

    /** Whether the next tag opens an element; its name is {@link #name}. */
    boolean opens() throws XapiException.Protocol {
        return nextTag() == XMLStreamConstants.START_ELEMENT;
    }

    String name() {
        return xml.getLocalName();
    }

    @Override
    public void close() throws IOException {
        try {
            xml.close();
        } catch (XMLStreamException e) {
            throw broken(e);
        }
    }
}
