package org.stillwater.fake.xapi.codec;

import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.xapi.codec.Request.Malformed;
import org.stillwater.fake.xapi.model.XType.DateTime;

/** Reads calls as the real server's XML reader does. The JDK's parser, so not the client's. */
public final class XmlReader {

    private static final Set<String> ENCODINGS =
            Set.of("UTF-8", "UTF-16", "UTF-16LE", "UTF-16BE", "ISO-8859-1", "US-ASCII");
    private static final XMLInputFactory FACTORY = factory();

    private final XMLStreamReader xml;

    private XmlReader(XMLStreamReader xml) {
        this.xml = xml;
    }

    private static XMLInputFactory factory() {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_COALESCING, true);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        return factory;
    }

    /** Reads a call and ignores the bytes behind its root element. */
    public static Request request(byte[] body) throws Malformed {
        try {
            XMLStreamReader xml;
            synchronized (FACTORY) {
                xml = FACTORY.createXMLStreamReader(new ByteArrayInputStream(body));
            }
            String declared = xml.getCharacterEncodingScheme();
            if (declared != null && !ENCODINGS.contains(declared.toUpperCase(Locale.ROOT))) {
                throw new Malformed("unknown encoding (" + declared + ")");
            }
            return new XmlReader(xml).call();
        } catch (XMLStreamException e) {
            throw new Malformed(String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException e) {
            throw new Malformed(e.toString());
        }
    }

    private Request call() throws XMLStreamException, Malformed {
        open("methodCall");
        open("methodName");
        String method = rest();
        if (method.isEmpty()) {
            throw new Malformed("no method name");
        }
        open("params");
        List<@Nullable Object> arguments = new ArrayList<>();
        while (opens("param")) {
            open("value");
            arguments.add(value());
            close();
        }
        return new Request(method, arguments, null, 0);
    }

    private void open(String name) throws XMLStreamException, Malformed {
        if (!opens(name)) {
            throw new Malformed("wanted open_tag(" + name + ")");
        }
    }

    /** Whether the next tag opens an element of that name; the other case is a closing tag. */
    private boolean opens(String name) throws XMLStreamException, Malformed {
        if (next() == XMLStreamConstants.END_ELEMENT) {
            return false;
        }
        if (!xml.getLocalName().equals(name)) {
            throw new Malformed("got open_tag(" + xml.getLocalName() + "), wanted " + name);
        }
        return true;
    }

    private void close() throws XMLStreamException, Malformed {
        if (next() != XMLStreamConstants.END_ELEMENT) {
            throw new Malformed("wanted close_tag");
        }
    }

    private int next() throws XMLStreamException, Malformed {
        while (true) {
            int event = xml.next();
            switch (event) {
                case XMLStreamConstants.START_ELEMENT, XMLStreamConstants.END_ELEMENT -> {
                    return event;
                }
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA -> {
                    if (!xml.isWhiteSpace()) {
                        throw new Malformed("got text, wanted a tag");
                    }
                }
                case XMLStreamConstants.END_DOCUMENT -> throw new Malformed("unexpected end");
                case XMLStreamConstants.ENTITY_REFERENCE ->
                        throw new Malformed("unknown entity reference");
                default -> {
                    // Comments and instructions.
                }
            }
        }
    }

    /** Text up to the closing tag. */
    private String rest() throws XMLStreamException, Malformed {
        StringBuilder text = new StringBuilder();
        while (true) {
            switch (xml.next()) {
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA ->
                        text.append(xml.getText());
                case XMLStreamConstants.END_ELEMENT -> {
                    return text.toString();
                }
                case XMLStreamConstants.START_ELEMENT ->
                        throw new Malformed("got open_tag(" + xml.getLocalName() + ")");
                case XMLStreamConstants.ENTITY_REFERENCE ->
                        throw new Malformed("unknown entity reference");
                default -> {
                    // Comments and instructions.
                }
            }
        }
    }

    /** A value after its opening tag, with its closing tag. */
    private @Nullable Object value() throws XMLStreamException, Malformed {
        StringBuilder text = new StringBuilder();
        while (true) {
            switch (xml.next()) {
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA ->
                        text.append(xml.getText());
                case XMLStreamConstants.END_ELEMENT -> {
                    return text.toString();
                }
                case XMLStreamConstants.ENTITY_REFERENCE ->
                        throw new Malformed("unknown entity reference");
                case XMLStreamConstants.START_ELEMENT -> {
                    Object typed = typed(xml.getLocalName());
                    close();
                    return typed;
                }
                default -> {
                    // Comments and instructions.
                }
            }
        }
    }

    private @Nullable Object typed(String type) throws XMLStreamException, Malformed {
        return switch (type) {
            case "string" -> rest();
            case "int", "i4", "i8" -> integer(rest());
            case "boolean" -> rest().equals("1");
            case "double" -> number(rest());
            case "dateTime.iso8601" -> new DateTime(rest());
            case "base64" -> Base64.getDecoder().decode(rest());
            case "nil" -> {
                close();
                yield null;
            }
            case "array" -> {
                List<@Nullable Object> list = new ArrayList<>();
                if (opens("data")) {
                    while (opens("value")) {
                        list.add(value());
                    }
                    close();
                }
                yield list;
            }
            case "struct" -> {
                Map<String, @Nullable Object> map = new LinkedHashMap<>();
                while (opens("member")) {
                    open("name");
                    String name = rest();
                    if (name.isEmpty()) {
                        throw new Malformed("empty name of a member");
                    }
                    open("value");
                    map.putIfAbsent(name, value());
                    close();
                }
                yield map;
            }
            default -> throw new Malformed("got open_tag(" + type + ")");
        };
    }

    /** As OCaml reads an integer: decimal or {@code 0x}, with underscores, without blanks. */
    static long integer(String text) throws Malformed {
        try {
            String plain = text.replaceFirst("^\\+(?=[0-9])", "");
            String digits = plain.replaceFirst("^-", "");
            if (digits.isEmpty() || digits.startsWith("_")) {
                throw new Malformed("Int64.of_string");
            }
            boolean hex = digits.startsWith("0x");
            BigInteger value =
                    new BigInteger(
                            (hex ? digits.substring(2) : digits).replace("_", ""), hex ? 16 : 10);
            return (plain.startsWith("-") ? value.negate() : value).longValueExact();
        } catch (ArithmeticException | NumberFormatException e) {
            throw new Malformed("Int64.of_string");
        }
    }

    /** As OCaml reads a float. */
    static double number(String text) throws Malformed {
        String plain = text.strip().replace("_", "").toLowerCase(Locale.ROOT);
        return switch (plain) {
            case "nan" -> Double.NaN;
            case "inf", "infinity", "+inf", "+infinity" -> Double.POSITIVE_INFINITY;
            case "-inf", "-infinity" -> Double.NEGATIVE_INFINITY;
            default -> {
                if (plain.matches("[+-]?0x[0-9a-f]+")) {
                    yield Long.decode(plain).doubleValue();
                }
                if (!plain.matches("[+-]?[0-9]+\\.?[0-9]*(e[+-]?[0-9]+)?")) {
                    throw new Malformed("float_of_string");
                }
                yield Double.parseDouble(plain);
            }
        };
    }
}
