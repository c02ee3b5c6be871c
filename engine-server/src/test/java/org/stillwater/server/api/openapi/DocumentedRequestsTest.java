package org.stillwater.server.api.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Addresses of the native interface that the documentation names are there, with their queries. */
class DocumentedRequestsTest {

    private static final Path ROOT = Path.of("..");
    private static final Pattern ADDRESS =
            Pattern.compile("/api/v1((?:/[\\w{}:.$*-]+)+)(\\?[\\w=&%.,:{}$*+-]+)?");

    /** Paths missing in the description of the interface. */
    private static final Set<String> UNDESCRIBED = Set.of("/openapi.json", "/stream/ws");

    /** Names of query parameters by path. */
    private static Map<List<String>, Set<String>> described() throws IOException {
        JsonNode page =
                JsonMapper.builder()
                        .build()
                        .readTree(Files.readString(ROOT.resolve("docs/reference/openapi.json")));
        Map<List<String>, Set<String>> all =
                new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
        for (String path : page.path("paths").propertyNames()) {
            Set<String> names = new HashSet<>();
            for (JsonNode parameter :
                    page.path("paths").path(path).path("get").path("parameters")) {
                if (parameter.path("in").asString().equals("query")) {
                    names.add(parameter.path("name").asString());
                }
            }
            all.put(segments(path.substring("/api/v1".length())), names);
        }
        return all;
    }

    private static List<String> segments(String path) {
        return List.of(path.substring(1).split("/", -1));
    }

    /** Whether a path is the beginning of a described one, whose variables stand for anything. */
    private static boolean leadsTo(List<String> path, List<String> described) {
        for (int i = 0; i < path.size(); i++) {
            if (path.get(i).contains("*")) {
                return true;
            }
            if (i == described.size()
                    || !(described.get(i).startsWith("{")
                            || described.get(i).equals(path.get(i)))) {
                return false;
            }
        }
        return true;
    }

    @Test
    void documentedRequestsExist() throws IOException {
        Map<List<String>, Set<String>> described = described();
        List<String> wrong = new ArrayList<>();
        int found = 0;
        for (Path page : pages()) {
            Matcher address = ADDRESS.matcher(Files.readString(page));
            while (address.find()) {
                found++;
                String path = address.group(1).replaceAll("[.:]+$", "");
                if (!UNDESCRIBED.contains(path) && !isThere(path, address.group(2), described)) {
                    wrong.add(page.getFileName() + ": " + address.group());
                }
            }
        }
        assertThat(found).isGreaterThan(100);
        assertThat(wrong).as("addresses that the interface does not have").isEmpty();
    }

    private static boolean isThere(
            String path, @Nullable String query, Map<List<String>, Set<String>> described) {
        List<String> wanted = segments(path);
        return described.entrySet().stream()
                .anyMatch(each ->
                        leadsTo(wanted, each.getKey())
                                && (query == null
                                        || (wanted.size() == each.getKey().size()
                                                && has(query, each.getValue()))));
    }

    private static boolean has(String query, Set<String> names) {
        return Stream.of(query.substring(1).split("&", -1))
                .allMatch(each -> names.contains(each.split("=", 2)[0]));
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> all = Files.walk(ROOT.resolve("docs"))) {
            List<Path> pages =
                    new ArrayList<>(all.filter(each -> each.toString().endsWith(".md")).toList());
            pages.add(ROOT.resolve("README.md"));
            return pages;
        }
    }
}
