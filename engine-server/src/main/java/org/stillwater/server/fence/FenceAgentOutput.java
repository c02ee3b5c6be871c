package org.stillwater.server.fence;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.server.fence.BoundedProcess.Ended;

/** Output of fence agents in texts for people: short, in one line, without secrets. Stateless. */
final class FenceAgentOutput {

    private static final int TOLD_CHARACTERS = 300;

    private final FenceAgentCatalog catalog;

    FenceAgentOutput(FenceAgentCatalog catalog) {
        this.catalog = catalog;
    }

    /** Output of a program, fit for a line of a log, and without secrets. */
    String of(Ended ended, FenceAgent agent) {
        return told(withoutSecrets(ended.output(), agent));
    }

    /** Output of another machine, fit for a line of a log. */
    static String told(String output) {
        String line = inOneLine(output);
        if (line.isEmpty()) {
            return "";
        }
        return ": "
                + (line.length() <= TOLD_CHARACTERS
                        ? line
                        : line.substring(0, TOLD_CHARACTERS) + "…");
    }

    /**
     * A text in one line, in which no secret of the agent is left: neither its password nor the
     * value of a secret option, as it is or with its blanks collapsed.
     */
    private String withoutSecrets(String output, FenceAgent agent) {
        Stream<String> options =
                agent.options().entrySet().stream()
                        .filter(option -> catalog.isSecret(agent.type(), option.getKey()))
                        .map(Map.Entry::getValue);
        List<String> secrets =
                Stream.concat(Stream.ofNullable(agent.password()), options)
                        .flatMap(secret -> Stream.of(secret, inOneLine(secret)))
                        .filter(secret -> !secret.isEmpty())
                        .distinct()
                        // A secret that holds another one is replaced first, and whole.
                        .sorted(Comparator.comparingInt(String::length).reversed())
                        .toList();
        String text = output;
        for (String secret : secrets) {
            text = text.replace(secret, "…");
        }
        text = inOneLine(text);
        for (String secret : secrets) {
            text = text.replace(secret, "…");
        }
        return text;
    }

    private static String inOneLine(String text) {
        return text.strip().replaceAll("[\\p{Cntrl}\\p{Cf}\\s]+", " ");
    }
}
