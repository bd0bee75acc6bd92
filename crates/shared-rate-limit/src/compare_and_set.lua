-- Replaces the shared state if the caller knows its version, and reads the clock. Does not apply the rate limit.
-- KEYS[1] is the shared state. ARGV is the version that the caller knows; the new version and text, or two empty
-- strings to only read; and the lifetime in milliseconds. Returns seconds and microseconds of the server's clock, the
-- run id of the server, the version, and the text if the caller does not know that version.
local time = redis.call('TIME')
-- A server that was restarted or replaced has another run id: its data may be older than the caller's.
local info = redis.pcall('INFO', 'server')
local run = type(info) == 'string' and string.match(info, 'run_id:(%w+)') or ''
local stored = redis.call('HMGET', KEYS[1], 'version', 'text')
local version = run .. ':' .. (stored[1] or '')
if version ~= ARGV[1] then
  return {time[1], time[2], run, version, stored[2] or ''}
end
if ARGV[2] ~= '' then
  redis.call('HSET', KEYS[1], 'version', ARGV[2], 'text', ARGV[3])
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  version = run .. ':' .. ARGV[2]
end
return {time[1], time[2], run, version, ''}
