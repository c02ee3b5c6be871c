package org.stillwater.server.replay;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathEvaluationResult;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import javax.xml.xpath.XPathNodes;
import org.w3c.dom.Document;
import org.w3c.dom.Node;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An answer, in which places are looked up. Used by one thread. */
final class Reply {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final int SHOWN = 2_000;

    private final XPath xpath = XPathFactory.newDefaultInstance().newXPath();
    private final HttpResponse<byte[]> response;
    private final String text;

    Reply(HttpResponse<byte[]> response) {
        this.response = response;
        this.text = new String(plain(response), StandardCharsets.UTF_8);
    }

    private static byte[] plain(HttpResponse<byte[]> response) {
        if (!header(response, "Content-Encoding").equals("gzip")) {
            return response.body();
        }
        try (var in = new GZIPInputStream(new ByteArrayInputStream(response.body()))) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String header(HttpResponse<byte[]> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }

    int status() {
        return response.statusCode();
    }

    /** A header, empty if it is not there. */
    String header(String name) {
        return header(response, name);
    }

    String text() {
        return text;
    }

    boolean isXml() {
        return mediaType().endsWith("xml");
    }

    boolean isJson() {
        return mediaType().endsWith("json");
    }

    /** Media type without its parameters. */
    String mediaType() {
        return header("Content-Type").split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    }

    /** Every value at a place; an object or a list is a value too. */
    List<String> at(String place) {
        if (isXml()) {
            return inXml(place);
        }
        if (isJson()) {
            List<String> found = new ArrayList<>();
            inJson(JSON.readTree(text), place.substring(1).split("/"), 0, found);
            return found;
        }
        throw new AssertionError("neither XML nor JSON: " + this);
    }

    private List<String> inXml(String place) {
        try {
            XPathEvaluationResult<?> result = xpath.evaluateExpression(place, document());
            if (result.value() instanceof XPathNodes nodes) {
                List<String> found = new ArrayList<>();
                for (Node node : nodes) {
                    found.add(node.getTextContent().strip());
                }
                return found;
            }
            if (result.value() instanceof Double number && number == Math.rint(number)) {
                return List.of(Long.toString(number.longValue()));
            }
            return List.of(String.valueOf(result.value()));
        } catch (XPathExpressionException e) {
            throw new AssertionError(place, e);
        }
    }

    private Document document() {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newDefaultInstance();
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            DocumentBuilder builder = factory.newDocumentBuilder();
            builder.setErrorHandler(null); // a fault is thrown
            return builder.parse(new InputSource(new StringReader(text)));
        } catch (ParserConfigurationException | SAXException | IOException e) {
            throw new AssertionError("no XML: " + this, e);
        }
    }

    private static void inJson(JsonNode node, String[] names, int next, List<String> found) {
        if (next == names.length) {
            if (!node.isMissingNode()) {
                found.add(node.isValueNode() ? node.asString() : node.toString());
            }
            return;
        }
        if (names[next].equals("*")) {
            node.forEach(each -> inJson(each, names, next + 1, found));
        } else if (node.isArray()) {
            inJson(node.path(Integer.parseInt(names[next])), names, next + 1, found);
        } else {
            inJson(node.path(names[next]), names, next + 1, found);
        }
    }

    @Override
    public String toString() {
        return "%d %s: %s"
                .formatted(
                        status(),
                        header("Content-Type"),
                        text.length() <= SHOWN ? text : text.substring(0, SHOWN) + " …");
    }
}
