package org.stillwater.vdsm.client.recording;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.stillwater.vdsm.jsonrpc.EventName;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** Copies one JSON message with pseudonyms in place of names, addresses and texts of guests. */
final class MessageCopy {

    /** Members with identities of VMs as texts. */
    private static final String VM_ID = "vmId";

    private final Pseudonyms pseudonyms;
    private final Consumer<String> vms;

    /**
     * @param vms receives the original identity of each VM in a message
     */
    MessageCopy(Pseudonyms pseudonyms, Consumer<String> vms) {
        this.pseudonyms = pseudonyms;
        this.vms = vms;
    }

    /** One level of the message. */
    private record Level(String member, boolean kept) {}

    /**
     * Copies the value at the parser, which is left on the value's last token.
     *
     * @param parser on the first token of the message
     */
    void copy(JsonParser parser, JsonGenerator out) {
        Deque<Level> levels = new ArrayDeque<>();
        levels.push(new Level("", false));
        String member = "";
        JsonToken token = parser.currentToken();
        while (true) {
            Level level = levels.element();
            boolean kept = level.kept() || ProtocolVocabulary.isKept(member);
            switch (token) {
                case PROPERTY_NAME -> {
                    member = parser.currentName();
                    if (levels.size() == 3 && level.member().equals("params")) {
                        vms.accept(member); // the content of an event stands below the VM's id
                    }
                    out.writeName(level.kept() ? member : pseudonyms.text(member));
                }
                case START_OBJECT -> {
                    levels.push(new Level(member, kept));
                    out.writeStartObject();
                }
                case START_ARRAY -> {
                    levels.push(new Level(member, kept));
                    out.writeStartArray();
                }
                case END_OBJECT -> {
                    levels.pop();
                    out.writeEndObject();
                }
                case END_ARRAY -> {
                    levels.pop();
                    out.writeEndArray();
                }
                case VALUE_STRING -> out.writeString(text(parser, member, kept));
                default -> out.copyCurrentEvent(parser);
            }
            if (levels.size() == 1) {
                return;
            }
            if (token == JsonToken.END_OBJECT || token == JsonToken.END_ARRAY) {
                member = levels.element().member();
            }
            token = parser.nextToken();
            if (token == null) {
                return;
            }
        }
    }

    private String text(JsonParser parser, String member, boolean kept) {
        String text = parser.getString();
        if (member.equals(VM_ID)) {
            vms.accept(text);
        }
        if (member.equals("method")) {
            EventName event = EventName.parse(text);
            return event == null
                    ? text
                    : new EventName(
                                    event.component(),
                                    event.operation(),
                                    pseudonyms.text(event.id()))
                            .wire();
        }
        if (kept) {
            return text;
        }
        if (text.startsWith("<")) {
            return XmlCopy.of(text, pseudonyms);
        }
        return ProtocolVocabulary.isSaid(member) ? pseudonyms.said(text) : pseudonyms.text(text);
    }
}
