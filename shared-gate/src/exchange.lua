-- Compare and set, on the server's clock. It knows no rule of the gate.
-- KEYS[1]: the ledger. ARGV: the version that the caller knows; what is to stand in its place, as a version and a text, or two
-- empty strings; for how many milliseconds that is kept.
-- Returns seconds and microseconds of the clock, the run of the server, the version, and the text where the caller knows
-- another version.
local time = redis.call('TIME')
-- A server that has restarted or was replaced is another run: what it holds may be older than what it held before.
local info = redis.pcall('INFO', 'server')
local run = type(info) == 'string' and string.match(info, 'run_id:(%w+)') or ''
local held = redis.call('HMGET', KEYS[1], 'version', 'text')
local version = run .. ':' .. (held[1] or '')
if version ~= ARGV[1] then
  return {time[1], time[2], run, version, held[2] or ''}
end
if ARGV[2] ~= '' then
  redis.call('HSET', KEYS[1], 'version', ARGV[2], 'text', ARGV[3])
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  version = run .. ':' .. ARGV[2]
end
return {time[1], time[2], run, version, ''}
