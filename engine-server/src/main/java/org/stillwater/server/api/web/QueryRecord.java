package org.stillwater.server.api.web;

/**
 * A record that stands for the query of a request: {@link QueryRecords} makes it out of the
 * parameters. Every component is a text, null when the request has no parameter of its name.
 */
public interface QueryRecord {}
