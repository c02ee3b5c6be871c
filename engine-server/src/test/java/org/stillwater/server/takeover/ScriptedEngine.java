package org.stillwater.server.takeover;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An engine with scripted answers, in the shape of oVirt's JSON; all others are empty. */
final class ScriptedEngine implements OvirtReader {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private final Map<String, String> answers = new HashMap<>();
    final List<String> asked = new ArrayList<>();

    /** The answer to every request of this path, with any query. */
    ScriptedEngine with(String path, String json) {
        answers.put(path, json);
        return this;
    }

    @Override
    public JsonNode get(String path) {
        asked.add(path);
        int query = path.indexOf('?');
        String plain = query < 0 ? path : path.substring(0, query);
        return MAPPER.readTree(answers.getOrDefault(plain, "{}"));
    }
}
