package org.stillwater.server.takeover;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** Reads an engine over oVirt's REST API v4, in JSON. One thread at a time. */
@FunctionalInterface
public interface OvirtReader {

    /** Objects of one page. An engine of 10 000 VMs answers 20 pages, and an empty one. */
    int PAGE = 500;

    /** Most pages of a collection; an engine that ignores the page number ends earlier. */
    int MOST_PAGES = 1_000;

    /**
     * Reads a path below the API's root, such as {@code /vms?follow=nics}.
     *
     * @return its JSON, an object
     * @throws NotRead if the engine does not answer as expected
     */
    JsonNode get(String path) throws NotRead;

    /** A missing or unusable answer; with the reason, one clause for people. */
    final class NotRead extends Exception {
        private static final long serialVersionUID = 1L;

        NotRead(String message) {
            super(message);
        }

        NotRead(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * Every object of a small collection.
     *
     * @param element its name in the answer, such as {@code cluster}
     */
    default List<JsonNode> all(String path, String element) throws NotRead {
        return OvirtJson.list(get(path), element);
    }

    /**
     * Every object of a collection that can be searched, page by page and each once, also if some
     * come or go meanwhile. An engine may answer smaller pages than requested: the collection ends
     * at a page without a further object.
     *
     * @param follow links that are followed, with commas; may be empty
     */
    default List<JsonNode> pages(String path, String element, String follow) throws NotRead {
        List<JsonNode> all = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (int page = 1; page <= MOST_PAGES; page++) {
            List<JsonNode> found =
                    all(
                            path
                                    + "?search=sortby%20name%20page%20"
                                    + page
                                    + "&max="
                                    + PAGE
                                    + (follow.isEmpty() ? "" : "&follow=" + follow)
                                    + "&all_content=true",
                            element);
            boolean news = false;
            for (JsonNode each : found) {
                if (seen.add(OvirtJson.text(each, "id"))) {
                    all.add(each);
                    news = true;
                }
            }
            if (!news) {
                return all;
            }
        }
        throw new NotRead(path + " has more than " + MOST_PAGES * PAGE + " objects");
    }
}
