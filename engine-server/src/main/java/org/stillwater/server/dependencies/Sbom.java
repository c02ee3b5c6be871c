package org.stillwater.server.dependencies;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads the Maven libraries of a CycloneDX SBOM in JSON. Stateless. */
final class Sbom {

    /** A package URL of Maven: {@code pkg:maven/GROUP/ARTIFACT@VERSION?qualifiers#path}. */
    private static final Pattern MAVEN =
            Pattern.compile("pkg:maven/([^/@?#]+)/([^/@?#]+)@([^?#]+).*");

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private Sbom() {}

    /**
     * Its libraries.
     *
     * @throws IOException if it is no SBOM, holds no library, or a library has no version
     */
    static Set<Library> libraries(byte[] json) throws IOException {
        JsonNode root;
        try {
            root = JSON.readTree(json);
        } catch (JacksonException e) {
            throw new IOException("it is no JSON: " + e.getOriginalMessage(), e);
        }
        if (!root.path("bomFormat").asString("").equals("CycloneDX")) {
            throw new IOException("it is no SBOM of CycloneDX in JSON");
        }
        Set<Library> libraries = new TreeSet<>();
        collect(root.path("components"), libraries);
        if (libraries.isEmpty()) {
            throw new IOException("it names no library of Maven");
        }
        return libraries;
    }

    private static void collect(JsonNode components, Set<Library> libraries) throws IOException {
        for (JsonNode component : components) {
            String url = component.path("purl").asString("");
            if (url.startsWith("pkg:maven/")) {
                Matcher parts = MAVEN.matcher(url);
                if (!parts.matches()) {
                    throw new IOException("the package URL " + url + " has no version");
                }
                libraries.add(
                        new Library(
                                decoded(parts.group(1)) + ":" + decoded(parts.group(2)),
                                decoded(parts.group(3))));
            }
            collect(component.path("components"), libraries);
        }
    }

    /** Percent signs are decoded; a plus sign is itself, unlike in forms. */
    private static String decoded(String part) {
        return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}
