package org.stillwater.server.fence;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;
import org.stillwater.server.fence.FenceOption.Kind;

/**
 * Reads the options of an agent from its metadata (output of {@code fence_NAME -o metadata}),
 * without options that name a script, a program, a path or a file, without {@code ssh_options}, and
 * the options that the engine sets itself. Stateless.
 */
final class FenceAgentMetadata {

    private static final int MOST_OPTIONS = 200;
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9_]{0,63}");

    /**
     * Options that the engine sets itself, and options that make an agent do or write something
     * else.
     */
    private static final Set<String> TOLD_OTHERWISE =
            Set.of(
                    "action",
                    "option",
                    "ip",
                    "ipaddr",
                    "ipport",
                    "login",
                    "username",
                    "passwd",
                    "password",
                    "help",
                    "version",
                    "quiet",
                    "separator",
                    "disable_timeout");

    /**
     * In a name, in the sign for a value or in the description: it runs or reads something here.
     */
    private static final Pattern UNSAFE =
            Pattern.compile(
                    "script|path|file|exec|command|cmd|sudo|ssh_opt|options|binary|program|debug|verbose"
                        + "|^log$|^log_|_log$|_log_|cert|identity|kubeconfig|openrc|conf|device|director|folder|"
                        + "run_?on|proxy|url|serial|store");

    private static final Set<String> PROMPTS = Set.of("cmd_prompt", "command_prompt");

    /** Their values are never shown. */
    private static final Pattern SECRET =
            Pattern.compile("pass|secret|token|apikey|api_key|community|credential|_key$|^key$");

    private FenceAgentMetadata() {}

    /** Options by name; none of an unsafe one. */
    static Map<String, FenceOption> options(byte[] xml) throws IOException {
        XMLInputFactory factory = XMLInputFactory.newFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        Map<String, FenceOption> options = new TreeMap<>();
        try {
            XMLStreamReader reader =
                    factory.createXMLStreamReader(new ByteArrayInputStream(xml), "UTF-8");
            boolean metadata = false;
            while (reader.hasNext()) {
                if (reader.next() != XMLStreamConstants.START_ELEMENT) {
                    continue;
                }
                metadata |= reader.getLocalName().equals("resource-agent");
                if (metadata
                        && reader.getLocalName().equals("parameter")
                        && options.size() < MOST_OPTIONS) {
                    parameter(reader, options);
                }
            }
            if (!metadata) {
                throw new IOException("it is no metadata of a fence agent");
            }
            return options;
        } catch (XMLStreamException e) {
            throw new IOException("it is no XML: " + firstLine(e.getMessage()), e);
        }
    }

    private static String firstLine(@Nullable String message) {
        return String.valueOf(message).lines().findFirst().orElse("");
    }

    private static void parameter(XMLStreamReader reader, Map<String, FenceOption> options)
            throws XMLStreamException {
        String name = String.valueOf(reader.getAttributeValue(null, "name"));
        String type = "string";
        StringBuilder words = new StringBuilder(name);
        List<String> choices = new ArrayList<>();
        for (int depth = 1; depth > 0; ) {
            int event = reader.next();
            if (event == XMLStreamConstants.END_ELEMENT) {
                depth--;
            } else if (event == XMLStreamConstants.CHARACTERS) {
                words.append(' ').append(reader.getText());
            } else if (event == XMLStreamConstants.START_ELEMENT) {
                depth++;
                switch (reader.getLocalName()) {
                    case "getopt" -> words.append(' ').append(attribute(reader, "mixed"));
                    case "content" -> type = attribute(reader, "type");
                    case "option" -> choices.add(attribute(reader, "value"));
                    default -> {
                        // a description
                    }
                }
            }
        }
        FenceOption option = option(name, type, words.toString(), choices);
        if (option != null) {
            options.put(name, option);
        }
    }

    private static String attribute(XMLStreamReader reader, String name) {
        String value = reader.getAttributeValue(null, name);
        return value == null ? "" : value;
    }

    private static @Nullable FenceOption option(
            String name, String type, String words, List<String> choices) {
        if (!NAME.matcher(name).matches() || TOLD_OTHERWISE.contains(name)) {
            return null;
        }
        if (PROMPTS.contains(name)) {
            return FenceOption.of(Kind.PROMPT);
        }
        if (UNSAFE.matcher(words.toLowerCase(Locale.ROOT)).find()
                && !(type.equals("second") && !UNSAFE.matcher(name).find())) {
            return null;
        }
        return switch (type) {
            case "boolean" -> FenceOption.of(Kind.FLAG);
            case "integer" -> FenceOption.of(Kind.NUMBER);
            case "second" -> FenceOption.of(Kind.SECONDS);
            case "select" -> choices.isEmpty() ? null : new FenceOption(Kind.CHOICE, choices);
            default -> FenceOption.of(SECRET.matcher(name).find() ? Kind.SECRET : Kind.WORD);
        };
    }
}
